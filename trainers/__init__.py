"""Programs that train the models, and what they are made of."""
