"""What scikit-learn's multi-layer perceptron with default settings reaches on a table, beside which jobs of ./tutti init are measured.

    python tables_sklearn.py TABLE.csv LABEL [TEST.csv]

Numbers are standardised (missing ones filled by the mean), text is one-hot. Without a test file: the mean over three random splits of 9 to 1.
"""

import sys

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler


def read(path):
    return pd.read_csv(path, sep=None, engine="python", na_values=["?", "NA", " ?"], skipinitialspace=True)


table, label = read(sys.argv[1]), sys.argv[2]
table = table[table[label].notna()]
classes = not pd.api.types.is_float_dtype(table[label]) and table[label].nunique() <= 20 or table[label].dtype == object
x, y = table.drop(columns=label), table[label]
numbers = x.select_dtypes("number").columns
words = [column for column in x.columns if column not in numbers]
encode = make_column_transformer(
    (make_pipeline(SimpleImputer(), StandardScaler()), numbers),
    (OneHotEncoder(handle_unknown="ignore"), words))

if len(sys.argv) > 3:
    test = read(sys.argv[3])
    splits = [(x, test.drop(columns=label), y, test[label])]
else:
    splits = [train_test_split(x, y, test_size=0.1, random_state=seed) for seed in range(3)]

for model in ((MLPClassifier(random_state=0), LogisticRegression(max_iter=1000)) if classes else (MLPRegressor(random_state=0), LinearRegression())):
    scores = []
    for train_x, test_x, train_y, test_y in splits:
        mean, deviation = (0, 1) if classes else (train_y.mean(), train_y.std())
        fit_y, score_y = (train_y, test_y) if classes else ((train_y - mean) / deviation, (test_y - mean) / deviation)
        scores.append(make_pipeline(encode, model).fit(train_x, fit_y).score(test_x, score_y))
    print(f"{type(model).__name__}: {'accuracy' if classes else 'r2'} {np.mean(scores):.4f}")
