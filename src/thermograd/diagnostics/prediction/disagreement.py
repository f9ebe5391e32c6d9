"""Disagreement: on how many inputs do networks of the same accuracy say different things?

    pair      share of inputs on which two members differ, averaged over pairs
    any       share of inputs on which the members are not unanimous

Against people who labelled the same inputs:

    type A    the networks disagree, the people agree
    type B    both agree or both disagree
    type C    the networks agree, the people disagree

References:
    Vlaar (2022), doctoral thesis, University of Edinburgh, section 6.2.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from ..._checks import require
from ..estimate import Array, Estimate

__all__ = ["Disagreement", "HumanDisagreement", "disagreement", "disagreement_with_people"]


@dataclass(frozen=True, slots=True, eq=False)
class Disagreement:
    """How far members differ.

    Attributes:
        pair: averaged over pairs; the uncertainty is the standard error over inputs.
        any: share of inputs without unanimity, with √(s (1 − s)/N).
        certainty: share of the members that say the most common thing, for each input, shape (N,).
    """

    pair: Estimate[float]
    any: Estimate[float]
    certainty: Array


@dataclass(frozen=True, slots=True, eq=False)
class HumanDisagreement:
    """How networks and people differ; the shares add up to 1.

    Attributes:
        type_a: networks disagree, people agree.
        type_b: both agree or both disagree.
        type_c: networks agree, people disagree.
        networks: what the networks do among themselves.
        people: what the people do among themselves.
    """

    type_a: Estimate[float]
    type_b: Estimate[float]
    type_c: Estimate[float]
    networks: Disagreement
    people: Disagreement


def disagreement(classes: Tensor) -> Disagreement:
    """Return how far the members of an ensemble differ.

    Args:
        classes: what each of M members says of N inputs, integers (M, N), M ≥ 2.
    """
    _check(classes, "classes", "disagreement")
    members, n = classes.shape
    same = torch.zeros(n, dtype=torch.float64)
    for member in classes:
        same += (classes == member).sum(0).double().cpu()
    differ = (members**2 - same) / (members * (members - 1))
    error = float(differ.std()) / n**0.5 if n > 1 else math.nan
    certainty = torch.stack([(classes == member).sum(0) for member in classes]).max(0).values
    share = _share((certainty < members).double())
    mean = Estimate(float(differ.mean()), error, n, "1")
    return Disagreement(mean, share, (certainty.double() / members).cpu().numpy())


def disagreement_with_people(networks: Tensor, people: Tensor) -> HumanDisagreement:
    """Return the three types of disagreement between networks and people.

    Args:
        networks: classes by M networks, integers (M, N), M ≥ 2.
        people: classes by P people, integers (P, N), P ≥ 2.
    """
    _check(networks, "networks", "disagreement_with_people")
    _check(people, "people", "disagreement_with_people")
    sizes = networks.shape[1], people.shape[1]
    same = sizes[0] == sizes[1]
    require(same, "people", "disagreement_with_people", "of as many inputs as networks", sizes)
    split = (networks != networks[0]).any(0).cpu()
    torn = (people != people[0]).any(0).cpu()
    return HumanDisagreement(
        _share((split & ~torn).double()),
        _share((split == torn).double()),
        _share((~split & torn).double()),
        disagreement(networks),
        disagreement(people),
    )


def _share(marks: Tensor) -> Estimate[float]:
    share, n = float(marks.mean()), len(marks)
    return Estimate(share, math.sqrt(share * (1 - share) / n), n, "1")


def _check(classes: Tensor, name: str, owner: str) -> None:
    whole = not classes.is_floating_point() and classes.dtype is not torch.bool
    ok = whole and classes.dim() == 2 and classes.shape[0] > 1 and classes.shape[1] > 0
    said = f"{classes.dtype} of shape {tuple(classes.shape)}"
    require(ok, name, owner, "integers (members, inputs), 2 members or more", said)
