"""Images with a patch that gives the class away: some examples are easy and some are hard.

A patch is one pattern z and one small offset ζ_i for each class. In the middle of an image of
class i stands, if it has the patch, and s is a random sign,

    patch only    0 + (z + 1.75 s a ζ_i),   a ~ U(0, 1); the rest of the image is 0
    mixed         image + (z + s ζ_i)

with z ~ N(0, 1.5625) and ζ ~ U(−0.1, 0.1) for each pixel and channel, drawn once for a data set.
The offset is a weak signal on top of a strong pattern: easy to memorise, hard to see.

The source leaves open whether 1.5625 is a variance (taken here: 1.25²) or a standard deviation,
whether the draws are per image or per data set (per data set), and what its ± is (a sign for each
image).

References:
    Vlaar (2022), PhD thesis, University of Edinburgh, figure 5.1 and section 5.9.3.
    Li, Wei and Ma (2019), arXiv:1907.04595.
"""

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from .._checks import non_negative, positive_int, require

__all__ = ["CLEAN", "MIXED", "PATCH_ONLY", "Patch", "augment", "draw_patch"]

CLEAN, MIXED, PATCH_ONLY = 0, 1, 2

_SD = 1.25
_OFFSET = 0.1
_ALONE = 1.75


@final
@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """The pattern and the offsets; use one for the training and the validation images.

    Attributes:
        pattern: z, shape (channels, size, size).
        offsets: ζ, shape (classes, channels, size, size).
    """

    pattern: Tensor
    offsets: Tensor


def draw_patch(
    num_classes: int,
    channels: int,
    *,
    generator: torch.Generator,
    size: int = 7,
    dtype: torch.dtype = torch.float32,
) -> Patch:
    """Draw a patch.

    Args:
        num_classes: of the data.
        channels: of the images.
        generator: the stream of draws.
        size: side of the patch in pixels.
        dtype: of the images.
    """
    for value, name in ((num_classes, "num_classes"), (channels, "channels"), (size, "size")):
        positive_int(value, name, "draw_patch")
    shape = (channels, size, size)
    pattern = _SD * torch.randn(shape, generator=generator, dtype=dtype)
    u = torch.rand((num_classes, *shape), generator=generator, dtype=dtype)
    return Patch(pattern, _OFFSET * (2 * u - 1))


def augment(
    images: Tensor,
    y: Tensor,
    patch: Patch,
    *,
    generator: torch.Generator,
    clean: float = 0.2,
    patch_only: float = 0.2,
) -> tuple[Tensor, Tensor]:
    """Return copies of images with patches, and for each CLEAN, MIXED or PATCH_ONLY.

    round(clean · N) images chosen at random stay as they are. Each of the others becomes a patch
    alone with the probability `patch_only`, and is mixed otherwise. For validation, `clean=1`
    gives the first kind alone, `clean=0` with `patch_only` 0 or 1 the others.

    Args:
        images: floating point, shape (N, channels, height, width), normalised.
        y: class numbers, shape (N,).
        patch: from `draw_patch`.
        generator: the stream of draws.
        clean: share of images without a patch.
        patch_only: probability that an image with a patch shows nothing else.
    """
    for share, name in ((clean, "clean"), (patch_only, "patch_only")):
        ok = non_negative(share, name, "augment") <= 1
        require(ok, name, "augment", "between 0 and 1", share)
    size, dtype = patch.pattern.shape[-1], images.dtype
    fits = images.is_floating_point() and min(images.shape[2:]) >= size
    shape = (tuple(images.shape), dtype)
    require(fits, "images", "augment", f"floating point, at least {size}×{size}", shape)
    num = len(images)
    kind = torch.full((num,), MIXED)
    kind[torch.rand(num, generator=generator) < patch_only] = PATCH_ONLY
    kind[torch.randperm(num, generator=generator)[: round(clean * num)]] = CLEAN
    sign = 2.0 * torch.randint(2, (num,), generator=generator).to(dtype) - 1
    a = torch.rand(num, generator=generator, dtype=dtype)
    strength = sign * torch.where(kind == PATCH_ONLY, _ALONE * a, 1.0)
    added = patch.pattern + strength.view(-1, 1, 1, 1) * patch.offsets[y]
    out = images * (kind != PATCH_ONLY).to(dtype).view(-1, 1, 1, 1)
    top, left = ((length - size) // 2 for length in images.shape[2:])
    middle = out[:, :, top : top + size, left : left + size]
    middle += added * (kind != CLEAN).to(dtype).view(-1, 1, 1, 1)
    return out, kind
