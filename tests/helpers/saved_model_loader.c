/* Runs a SavedModel without Python, as a server does.

   Usage: saved_model_loader FOLDER < COMMANDS

   The commands, of words apart by white space, are

     feed OPERATION INDEX TYPE FILE RANK SIZE...
     fetch OPERATION INDEX FILE
     run

   Each "run" takes the tensors of the "feed"s before it from their files, as
   raw bytes, writes those of the "fetch"es, and prints a line: "ok", with
   ": TYPE RANK SIZE..." for each tensor that was fetched, or "error: " and the
   message of TensorFlow. TYPE is a number of the enum TF_DataType. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/c_api.h"

enum { MAX_TENSORS = 8, MAX_RANK = 8, MAX_NAME = 1024 };

static TF_Status* status;
static TF_Graph* graph;

static void fail(const char* what, const char* detail) {
  fprintf(stderr, "%s: %s\n", what, detail);
  exit(1);
}

static long read_number(void) {
  long number;
  if (scanf("%ld", &number) != 1) fail("expected", "a number");
  return number;
}

static void read_word(char* word) {
  if (scanf("%1023s", word) != 1) fail("expected", "a word");
}

static TF_Output read_output(void) {
  char name[MAX_NAME];
  read_word(name);
  TF_Output output = {TF_GraphOperationByName(graph, name), 0};
  if (output.oper == NULL) fail("no such operation", name);
  output.index = (int)read_number();
  return output;
}

static TF_Tensor* read_tensor(void) {
  char path[MAX_NAME];
  int64_t sizes[MAX_RANK];
  TF_DataType type = (TF_DataType)read_number();
  read_word(path);
  long rank = read_number();
  if (rank > MAX_RANK) fail("too many axes", path);
  size_t bytes = TF_DataTypeSize(type);
  for (long i = 0; i < rank; ++i) {
    sizes[i] = read_number();
    bytes *= (size_t)sizes[i];
  }
  TF_Tensor* tensor = TF_AllocateTensor(type, sizes, (int)rank, bytes);
  FILE* file = fopen(path, "rb");
  if (file == NULL || fread(TF_TensorData(tensor), 1, bytes, file) != bytes)
    fail("cannot read", path);
  fclose(file);
  return tensor;
}

static void write_tensor(const TF_Tensor* tensor, const char* path) {
  size_t bytes = TF_TensorByteSize(tensor);
  FILE* file = fopen(path, "wb");
  if (file == NULL || fwrite(TF_TensorData(tensor), 1, bytes, file) != bytes)
    fail("cannot write", path);
  fclose(file);
  printf(": %d %d", (int)TF_TensorType(tensor), TF_NumDims(tensor));
  for (int i = 0; i < TF_NumDims(tensor); ++i)
    printf(" %lld", (long long)TF_Dim(tensor, i));
}

static void print_error(void) {
  printf("error: ");
  for (const char* c = TF_Message(status); *c; ++c)
    putchar(*c == '\n' ? ' ' : *c);
  putchar('\n');
}

int main(int argc, char** argv) {
  if (argc != 2) fail("usage", "saved_model_loader FOLDER < COMMANDS");
  status = TF_NewStatus();
  graph = TF_NewGraph();
  TF_SessionOptions* options = TF_NewSessionOptions();
  const char* tags[] = {"serve"};
  TF_Session* session = TF_LoadSessionFromSavedModel(
      options, NULL, argv[1], tags, 1, graph, NULL, status);
  if (TF_GetCode(status) != TF_OK) fail("cannot load", TF_Message(status));

  TF_Output inputs[MAX_TENSORS], outputs[MAX_TENSORS];
  TF_Tensor *values[MAX_TENSORS], *results[MAX_TENSORS];
  char paths[MAX_TENSORS][MAX_NAME];
  char command[MAX_NAME];
  int feeds = 0, fetches = 0;
  while (scanf("%1023s", command) == 1) {
    if (feeds == MAX_TENSORS || fetches == MAX_TENSORS)
      fail("too many tensors", command);
    if (strcmp(command, "feed") == 0) {
      inputs[feeds] = read_output();
      values[feeds++] = read_tensor();
    } else if (strcmp(command, "fetch") == 0) {
      outputs[fetches] = read_output();
      read_word(paths[fetches++]);
    } else if (strcmp(command, "run") == 0) {
      TF_SessionRun(session, NULL, inputs, values, feeds, outputs, results,
                    fetches, NULL, 0, NULL, status);
      if (TF_GetCode(status) == TF_OK) {
        printf("ok");
        for (int i = 0; i < fetches; ++i) {
          write_tensor(results[i], paths[i]);
          TF_DeleteTensor(results[i]);
        }
        putchar('\n');
      } else {
        print_error();
      }
      while (feeds > 0) TF_DeleteTensor(values[--feeds]);
      fetches = 0;
    } else {
      fail("no such command", command);
    }
  }
  TF_CloseSession(session, status);
  TF_DeleteSession(session, status);
  TF_DeleteSessionOptions(options);
  TF_DeleteGraph(graph);
  TF_DeleteStatus(status);
  return 0;
}
