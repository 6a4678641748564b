"""Answers of scipy for test/core/fit/oracle.test.ts: python3 test/studies/scipy_reference.py test/fixtures/fit/scipy.json

Reads `rows` (tasks, environments, trajectories, successes, trials) from the file and writes beside them the best of many
L-BFGS-B minima of half the binomial deviance under each law, and values of special functions.
"""
import json
import sys

import numpy as np
import scipy
from scipy import optimize, special, stats

path = sys.argv[1]
document = json.load(open(path))
rng = np.random.default_rng(1)


def error(law, theta, u):
    t, e, r = u
    if law == "multiplicative":
        E, a, at, ae, ar = theta
        return E + np.exp(a - at * t - ae * e - ar * r)
    E, a, b, c, at, ae, ar = theta
    if law == "additive":
        return E + np.exp(a - at * t) + np.exp(b - ae * e) + np.exp(c - ar * r)
    if law == "interaction":
        return E + np.exp(a - ae * e) * (1 + np.exp(b - at * t)) * (1 + np.exp(c - ar * r))
    return E + np.exp(a - ae * e) + np.exp(b - at * (e + t)) + np.exp(c - ar * (e + t + r))


def objective(theta, law, u, y, n):
    p = np.clip(error(law, theta, u), 1e-6, 1 - 1e-6)
    return float(np.sum(n * (special.xlogy(y, y / p) + special.xlogy(1 - y, (1 - y) / (1 - p)))))


answers = {}
for law, rows in document["rows"].items():
    table = np.array(rows, float).T
    u = np.log(table[:3])
    u = u - u.mean(axis=1, keepdims=True)
    y, n = 1 - table[3] / table[4], table[4]
    extra = 1 if law == "multiplicative" else 3
    bounds = [(0, 0.999)] + [(-12, 8)] * extra + [(0.02, 1.5)] * 3
    best = None
    for _ in range(120):
        start = [0.2 * rng.random()] + list(-3 + 2.5 * rng.random(extra)) + list(0.05 + 0.9 * rng.random(3))
        found = optimize.minimize(objective, start, (law, u, y, n), "L-BFGS-B", bounds=bounds, options={"maxiter": 3000, "maxfun": 60000, "ftol": 1e-15, "gtol": 1e-9})
        if best is None or found.fun < best.fun:
            best = found
    answers[law] = {"objective": best.fun, "error": list(error(law, best.x, u)[:5])}

document["answers"] = answers
document["special"] = {
    "lnGamma": [[x, special.gammaln(x)] for x in (0.1, 0.5, 1.7, 8.0, 61.0, 1234.5)],
    "digamma": [[x, special.digamma(x)] for x in (0.1, 0.9, 3.0, 25.0)],
    "incompleteBeta": [[a, b, x, special.betainc(a, b, x)] for a, b, x in ((0.5, 0.5, 0.3), (2, 7, 0.6), (30, 0.5, 0.97))],
    "studentQuantile": [[p, df, stats.t.ppf(p, df)] for p, df in ((0.975, 1), (0.975, 4), (0.9, 57), (0.025, 12))],
    "normalQuantile": [[p, stats.norm.ppf(p)] for p in (0.001, 0.3, 0.975)],
}
document["scipy"] = scipy.__version__
json.dump(document, open(path, "w"), indent=1)
