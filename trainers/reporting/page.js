"use strict";

const SVG = "http://www.w3.org/2000/svg";
const COLORS = 6;
const DASHES = ["none", "8 4", "2 3", "10 3 2 3"];

function svg(name, attributes, text) {
  const found = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    found.setAttribute(key, value);
  }
  if (text !== undefined) {
    found.textContent = text;
  }
  return found;
}

function html(name, attributes, text) {
  const found = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    found.setAttribute(key, value);
  }
  if (text !== undefined) {
    found.textContent = text;
  }
  return found;
}

function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}

/* Numbers that people like, between two others. */
function ticks(low, high) {
  const rough = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((each) => each * power >= rough) * power;
  const digits = Math.max(0, -Math.floor(Math.log10(step)));
  const found = [];
  for (let i = Math.ceil(low / step); i * step <= high + step / 1e6; i++) {
    found.push([i * step, (i * step).toFixed(digits)]);
  }
  return found;
}

/* Lines beyond the colours differ in their strokes. */
function stroke(index) {
  return {
    stroke: `var(--line-${index % COLORS})`,
    "stroke-dasharray": DASHES[Math.floor(index / COLORS) % DASHES.length],
  };
}

/* A chart of lines. The cursor follows the pointer and the arrow keys, and the
   legend has the values at it. */
class Chart {
  constructor(place, views) {
    this.margin = { left: 64, right: 16, top: 12, bottom: 44 };
    this.place = place;
    this.picture = svg("svg", { tabindex: 0, role: "img" });
    this.legend = html("ul", { class: "legend" });
    this.position = html("p", { class: "note", role: "status" });
    place.append(this.picture, this.legend, this.position);
    const menu = place.querySelector("select");
    if (menu) {
      views.forEach((view, index) => {
        menu.append(html("option", { value: index }, view.title));
      });
      menu.addEventListener("change", () => this.show(views[menu.value]));
    }
    this.picture.addEventListener("pointermove", (event) => this.point(event));
    this.picture.addEventListener("pointerdown", (event) => this.point(event));
    this.picture.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("resize", () => {
      this.draw();
      this.move(this.at);
    });
    this.show(views[0]);
  }

  show(view) {
    this.view = view;
    const lines = view.lines.map((line) => line.points);
    const all = lines.flat();
    this.steps = [...new Set(all.map((point) => point[0]))];
    this.steps.sort((a, b) => a - b);
    const last = this.steps.length ? this.steps[this.steps.length - 1] : 1;
    [this.left, this.right] = view.limits || [0, last];
    // What happens in the first moments would hide the differences.
    const settled = all.filter((point) => point[0] >= 0.1 * last);
    const values = settled.map((point) => point[1]);
    let [low, high] = view.limits || [Math.min(...values), Math.max(...values)];
    if (!(high > low)) {
      [low, high] = Number.isFinite(low) ? [low - 1, low + 1] : [0, 1];
    }
    const space = view.limits ? 0 : 0.05 * (high - low);
    this.low = low - space;
    this.high = high + space;
    this.draw();
    // The end of training, and the level that people ask for.
    const share = view.limits ? 0.9 : 1;
    this.move(Math.round(share * (this.steps.length - 1)));
  }

  x(value) {
    const { left, right } = this.margin;
    const share = (value - this.left) / (this.right - this.left || 1);
    return left + share * (this.width - left - right);
  }

  y(value) {
    const { top, bottom } = this.margin;
    const share = (value - this.low) / (this.high - this.low);
    return this.height - bottom - share * (this.height - top - bottom);
  }

  draw() {
    // In pixels of the screen, so that text can be read on any.
    this.width = Math.max(280, this.place.clientWidth);
    this.height = Math.min(380, 0.6 * this.width + 60);
    const box = `0 0 ${this.width} ${this.height}`;
    this.picture.setAttribute("viewBox", box);
    const { left, right, top, bottom } = this.margin;
    const width = this.width - left - right;
    const height = this.height - top - bottom;
    const clip = svg("clipPath", { id: `${this.place.id}-clip` });
    clip.append(svg("rect", { x: left, y: top, width, height }));
    this.picture.replaceChildren(clip);
    for (const [value, text] of ticks(this.left, this.right)) {
      const x = this.x(value);
      const y = this.height - bottom + 16;
      const below = { x, y, "text-anchor": "middle" };
      this.picture.append(svg("text", below, text));
    }
    for (const [value, text] of ticks(this.low, this.high)) {
      const y = this.y(value);
      const rule = { x1: left, x2: left + width, y1: y, y2: y, class: "axis" };
      const beside = { x: left - 6, y: y + 4, "text-anchor": "end" };
      this.picture.append(svg("line", rule), svg("text", beside, text));
    }
    const middle = left + width / 2;
    const below = { x: middle, y: this.height - 8, "text-anchor": "middle" };
    this.picture.append(svg("text", below, this.view.x));
    const turn = `translate(14 ${top + height / 2}) rotate(-90)`;
    const beside = { transform: turn, "text-anchor": "middle" };
    this.picture.append(svg("text", beside, this.view.y));
    const inside = svg("g", { "clip-path": `url(#${clip.id})` });
    if (this.view.limits) {
      const [x1, x2] = [this.x(this.left), this.x(this.right)];
      const [y1, y2] = [this.y(this.low), this.y(this.high)];
      inside.append(svg("line", { x1, x2, y1, y2, class: "axis" }));
    }
    this.view.lines.forEach((line, index) => {
      const points = line.points.map(([x, y]) => `${this.x(x)},${this.y(y)}`);
      const attributes = { points: points.join(" "), class: "line" };
      inside.append(svg("polyline", { ...attributes, ...stroke(index) }));
    });
    this.cursor = svg("line", { y1: top, y2: top + height, class: "cursor" });
    this.picture.append(inside, this.cursor);
  }

  point(event) {
    const box = this.picture.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * this.width;
    let nearest = 0;
    this.steps.forEach((value, index) => {
      const distance = Math.abs(this.x(value) - x);
      if (distance < Math.abs(this.x(this.steps[nearest]) - x)) {
        nearest = index;
      }
    });
    this.move(nearest);
  }

  key(event) {
    const last = this.steps.length - 1;
    const targets = {
      ArrowLeft: this.at - 1,
      ArrowRight: this.at + 1,
      Home: 0,
      End: last,
    };
    if (event.key in targets) {
      event.preventDefault();
      this.move(clamp(targets[event.key], 0, last));
    }
  }

  move(index) {
    this.at = index;
    const step = this.steps[index];
    this.legend.replaceChildren();
    const told = [];
    this.view.lines.forEach((line, number) => {
      const point = line.points.find(([x]) => x === step);
      const value = point ? Number(point[1].toFixed(3)) : "-";
      const item = html("li", {});
      const hidden = { "aria-hidden": "true" };
      const sample = svg("svg", { viewBox: "0 0 32 12", ...hidden });
      const level = { x1: 0, x2: 32, y1: 6, y2: 6, class: "line" };
      sample.append(svg("line", { ...level, ...stroke(number) }));
      item.append(sample, `${line.label}: ${value}`);
      this.legend.append(item);
      told.push(`${line.label} ${value}`);
    });
    if (step !== undefined) {
      const x = this.x(step);
      this.cursor.setAttribute("x1", x);
      this.cursor.setAttribute("x2", x);
      const value = Number(step.toFixed(4));
      this.position.textContent = `At ${this.view.x}: ${value}.`;
    }
    const hint = "Arrow keys move along it.";
    const name = `${this.place.dataset.title}, ${this.view.y}.`;
    const text = `${name} ${hint} ${told.join(", ")}`;
    this.picture.setAttribute("aria-label", text);
  }
}

/* Shows one of several pictures, the one that a slider is at. */
function makeSlider(figure) {
  const slider = figure.querySelector("input");
  const output = figure.querySelector("output");
  const pictures = [...figure.querySelectorAll("img")];
  const show = () => {
    for (const picture of pictures) {
      picture.hidden = picture.dataset.step !== slider.value;
    }
    const count = Number(slider.value);
    const text = `after ${count} update${count === 1 ? "" : "s"}`;
    output.textContent = text;
    slider.setAttribute("aria-valuetext", text);
  };
  slider.addEventListener("input", show);
  show();
}

/* A dense decoder with its derivatives, as the library's: see
   tf_vlae/linearization/piecewise.py. */
class Decoder {
  constructor(model) {
    this.model = model;
    const bytes = Uint8Array.from(atob(model.weights), (c) => c.charCodeAt(0));
    // Numbers are little-endian in the page, whatever this machine has.
    const view = new DataView(bytes.buffer);
    let place = 0;
    const read = (count) => {
      const found = new Float64Array(count);
      for (let i = 0; i < count; i++, place += 4) {
        found[i] = view.getFloat32(place, true);
      }
      return found;
    };
    this.layers = model.layers.map(([inputs, outputs]) => {
      const kernel = read(inputs * outputs);
      return { inputs, outputs, kernel, bias: read(outputs) };
    });
  }

  /* Grey values of the mean image at z, and the precision of the local
     posterior, I + J^T C J, as [a, b, c] of [[a, b], [b, c]]. */
  at(z) {
    let rows = [Float64Array.from(z), [1, 0], [0, 1]];
    this.layers.forEach((layer, index) => {
      rows = rows.map((row) => this.multiply(row, layer));
      layer.bias.forEach((value, i) => {
        rows[0][i] += value;
      });
      if (index < this.layers.length - 1) {
        this.activate(rows);
      }
    });
    const [output, first, second] = rows;
    const precision = [1, 0, 1];
    const range = this.model.range;
    const image = output.map((value, i) => {
      const share = 1 / (1 + Math.exp(-value));
      const weight = this.model.precision ?? share * (1 - share);
      precision[0] += weight * first[i] * first[i];
      precision[1] += weight * first[i] * second[i];
      precision[2] += weight * second[i] * second[i];
      return range ? range[0] + (range[1] - range[0]) * share : value;
    });
    return { image, precision };
  }

  multiply(row, layer) {
    const found = new Float64Array(layer.outputs);
    for (let i = 0; i < layer.inputs; i++) {
      if (row[i] !== 0) {
        const start = i * layer.outputs;
        for (let j = 0; j < layer.outputs; j++) {
          found[j] += row[i] * layer.kernel[start + j];
        }
      }
    }
    return found;
  }

  activate([values, first, second]) {
    for (let i = 0; i < values.length; i++) {
      if (!(values[i] > 0)) {
        values[i] *= this.model.slope;
        first[i] *= this.model.slope;
        second[i] *= this.model.slope;
      }
    }
  }
}

/* Points of the ellipse that holds 90 % of N(z, precision^-1). */
function ellipse(z, [a, b, c]) {
  // precision = U^T U with U upper triangular, so U^-1 e has the covariance.
  const u = Math.sqrt(a);
  const v = b / u;
  const w = Math.sqrt(c - v * v);
  // The chi-squared quantile of two degrees of freedom, in closed form.
  const radius = Math.sqrt(-2 * Math.log(0.1));
  const points = [];
  for (let i = 0; i <= 60; i++) {
    const angle = (2 * Math.PI * i) / 60;
    const second = (radius * Math.sin(angle)) / w;
    const first = (radius * Math.cos(angle) - v * second) / u;
    points.push([z[0] + first, z[1] + second]);
  }
  return points;
}

/* A point in the latent plane with its image. */
class Explorer {
  constructor(place, model) {
    this.size = 320;
    this.decoder = new Decoder(model);
    this.shape = model.shape;
    const far = model.means.flat().map(Math.abs);
    this.extent = Math.max(3, Math.ceil(Math.max(0, ...far)));
    this.z = [0, 0];
    const [height, width] = this.shape;
    this.canvas = html("canvas", { width, height, role: "img" });
    this.status = html("p", { class: "note", role: "status" });
    this.makePlane(model.means);
    this.sliders = [0, 1].map((dimension) => this.makeSlider(dimension));
    const left = html("div", {});
    left.append(this.plane, ...this.sliders.map((each) => each.parentNode));
    const right = html("div", {});
    right.append(this.canvas, this.status);
    place.append(left, right);
    this.move(this.z);
  }

  makePlane(means) {
    const size = this.size;
    this.plane = svg("svg", {
      viewBox: `0 0 ${size} ${size}`,
      class: "plane",
      tabindex: 0,
      role: "application",
      "aria-label": "Latent plane. The arrow keys move the point.",
    });
    const axis = { class: "axis" };
    const half = size / 2;
    this.plane.append(
      svg("line", { x1: 0, x2: size, y1: half, y2: half, ...axis }),
      svg("line", { y1: 0, y2: size, x1: half, x2: half, ...axis }),
      svg("text", { x: size - 36, y: half - 6 }, "z[0]"),
      svg("text", { x: half + 6, y: 14 }, "z[1]"),
    );
    for (const mean of means) {
      const [cx, cy] = this.toPlane(mean);
      this.plane.append(svg("circle", { cx, cy, r: 2, class: "mean" }));
    }
    this.border = svg("polygon", { class: "ellipse" });
    this.point = svg("circle", { r: 5, class: "point" });
    this.plane.append(this.border, this.point);
    const follow = (event) => {
      if (event.type === "pointerdown" || event.buttons) {
        const box = this.plane.getBoundingClientRect();
        const x = (event.clientX - box.left) / box.width;
        const y = (event.clientY - box.top) / box.height;
        this.move([(2 * x - 1) * this.extent, (1 - 2 * y) * this.extent]);
      }
    };
    this.plane.addEventListener("pointerdown", (event) => {
      this.plane.setPointerCapture(event.pointerId);
      follow(event);
    });
    this.plane.addEventListener("pointermove", follow);
    this.plane.addEventListener("keydown", (event) => this.key(event));
  }

  makeSlider(dimension) {
    const slider = html("input", {
      type: "range",
      min: -this.extent,
      max: this.extent,
      step: 0.01,
    });
    slider.addEventListener("input", () => {
      const z = [...this.z];
      z[dimension] = Number(slider.value);
      this.move(z);
    });
    const label = html("label", {}, `z[${dimension}]`);
    label.append(slider);
    return slider;
  }

  toPlane([x, y]) {
    const scale = this.size / (2 * this.extent);
    return [(x + this.extent) * scale, (this.extent - y) * scale];
  }

  key(event) {
    const step = event.shiftKey ? 0.5 : 0.1;
    const ways = {
      ArrowLeft: [-step, 0],
      ArrowRight: [step, 0],
      ArrowUp: [0, step],
      ArrowDown: [0, -step],
    };
    if (event.key in ways) {
      event.preventDefault();
      this.move(this.z.map((value, i) => value + ways[event.key][i]));
    }
  }

  move(z) {
    this.z = z.map((value) => clamp(value, -this.extent, this.extent));
    const { image, precision } = this.decoder.at(this.z);
    this.paint(image);
    const [cx, cy] = this.toPlane(this.z);
    this.point.setAttribute("cx", cx);
    this.point.setAttribute("cy", cy);
    const border = ellipse(this.z, precision).map((each) => this.toPlane(each));
    this.border.setAttribute("points", border.join(" "));
    this.sliders.forEach((slider, i) => {
      slider.value = this.z[i];
    });
    const where = this.z.map((value) => value.toFixed(2)).join(", ");
    this.status.textContent = `z = (${where})`;
    const name = `The decoded image at z = (${where})`;
    this.canvas.setAttribute("aria-label", name);
  }

  paint(image) {
    const [height, width, channels] = this.shape;
    // Small, and written pixel by pixel: nothing for a graphics processor.
    const options = { willReadFrequently: true };
    const context = this.canvas.getContext("2d", options);
    const pixels = context.createImageData(width, height);
    for (let i = 0; i < height * width; i++) {
      for (let channel = 0; channel < 3; channel++) {
        const value = image[i * channels + (channels === 3 ? channel : 0)];
        const grey = Math.floor(255 * clamp(value, 0, 1) + 0.5);
        pixels.data[4 * i + channel] = grey;
      }
      pixels.data[4 * i + 3] = 255;
    }
    context.putImageData(pixels, 0, 0);
  }
}

const data = JSON.parse(document.getElementById("data").textContent);
for (const place of document.querySelectorAll(".chart")) {
  new Chart(place, data.charts[place.dataset.chart]);
}
document.querySelectorAll(".updates").forEach(makeSlider);
for (const place of document.querySelectorAll(".explorer")) {
  new Explorer(place, data.explorers[place.dataset.explorer]);
}
