"""Programs that train the models, and the parts that they are made of."""
