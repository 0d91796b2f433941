"""Trains the network that reads squares, by PyTorch, from files of `train_picture -- squares`.

    python train.py FOLDER WEIGHTS MINUTES

FOLDER has the files (`*.squares`), which may be added to while it runs. WEIGHTS is written in the
format of `Network::from_bytes`; beside it, with the ending `.state`, the state in floating-point
numbers, from which the training continues if that is there.
"""

import argparse
import math
import random
import struct
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

SIDE = 32
CLASSES = 13
CHANNELS = [4, 32, 48, 80, 128]
FEATURES = CHANNELS[-1] * 4
# The shape of `transformer.rs`.
WIDTH = 128
HEADS = 4
BLOCKS = 2
# Boards of a batch.
BOARDS = 12
# Bytes of a board in a file: the classes, then the colours.
BOARD_BYTES = 64 + 64 * 3 * SIDE * SIDE


class Block(nn.Module):
    """A transformer block over the squares of a board (A. Vaswani et al., 2017), with layer
    normalisation before each part (R. Xiong et al., 2020)."""

    def __init__(self) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.projection = nn.Linear(WIDTH, WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH)
        self.hidden = nn.Linear(WIDTH, 2 * WIDTH)
        self.output = nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        boards, squares, _ = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(boards, squares, 3, HEADS, WIDTH // HEADS).unbind(2)
        attended = functional.scaled_dot_product_attention(
            q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
        )
        x = x + self.projection(attended.transpose(1, 2).reshape(boards, squares, WIDTH))
        return x + self.output(functional.relu(self.hidden(self.norm2(x))))


class Norm(nn.BatchNorm2d):
    """Batch normalisation with positive factors: so the largest of some values stays the largest,
    and it may be computed after pooling, and folded into the weights before it."""

    def forward(self, x: Tensor) -> Tensor:
        return functional.batch_norm(
            x,
            self.running_mean,
            self.running_var,
            self.weight.abs(),
            self.bias,
            self.training,
            self.momentum,
            self.eps,
        )


class Net(nn.Module):
    """Convolutions for each square, transformer blocks over all squares, and an output layer.

    An auxiliary output layer classifies each square alone, by the convolutions' features: it
    trains the convolutions directly, and is not part of the file."""

    def __init__(self) -> None:
        super().__init__()
        kernels = [(4, 2), (3, 1), (3, 1), (3, 1)]
        self.convolutions = nn.ModuleList(
            nn.Conv2d(i, o, k, s, 1)
            for i, o, (k, s) in zip(CHANNELS[:-1], CHANNELS[1:], kernels, strict=True)
        )
        self.norms = nn.ModuleList(Norm(o) for o in CHANNELS[1:])
        self.alone = nn.Linear(FEATURES, CLASSES)
        self.embedding = nn.Linear(FEATURES, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(BLOCKS))
        self.output = nn.Linear(WIDTH, CLASSES)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        boards = x.shape[0] // 64
        for at, (convolution, norm) in enumerate(zip(self.convolutions, self.norms, strict=True)):
            x = convolution(x)
            if at > 0:
                x = functional.max_pool2d(x, 2)
            x = functional.relu(norm(x))
        x = x.flatten(1)
        together = self.embedding(x).view(boards, 64, WIDTH)
        for block in self.blocks:
            together = block(together)
        return self.alone(x), self.output(together).view(-1, CLASSES)

    def folded(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Weights and biases of all layers in the order of the file, normalisations folded in."""
        layers = []
        for convolution, norm in zip(self.convolutions, self.norms, strict=True):
            factor = norm.weight.abs() / torch.sqrt(norm.running_var + norm.eps)
            weight = convolution.weight * factor[:, None, None, None]
            bias = (convolution.bias - norm.running_mean) * factor + norm.bias
            layers.append((weight.flatten(1), bias))
        layers.append((self.embedding.weight, self.embedding.bias))
        for block in self.blocks:
            layers.append(normalised(block.norm1, block.qkv))
            layers.append((block.projection.weight, block.projection.bias))
            layers.append(normalised(block.norm2, block.hidden))
            layers.append((block.output.weight, block.output.bias))
        layers.append((self.output.weight, self.output.bias))
        return [(w.detach().float().numpy(), b.detach().float().numpy()) for w, b in layers]


def normalised(norm: nn.LayerNorm, layer: nn.Linear) -> tuple[Tensor, Tensor]:
    """Weights and biases of a layer with the gain and bias of the normalisation before it."""
    return layer.weight * norm.weight[None], layer.bias + layer.weight @ norm.bias


def write(net: Net, path: Path) -> None:
    """Weights in eight bits: for each output its scale, its bias and the multiples of the scale."""
    data = bytearray()
    for weights, biases in net.folded():
        for row, bias in zip(weights, biases, strict=True):
            scale = max(float(np.abs(row).max()), 1e-12) / 127
            data += struct.pack("<ff", scale, float(bias))
            data += np.round(row / scale).astype(np.int8).tobytes()
    path.write_bytes(data)


def ground_difference(x: Tensor) -> Tensor:
    """The fourth channel: how far a point differs from the ground, as in `square.rs`."""
    edge = [*range(3), *range(SIDE - 3, SIDE)]
    corners = x[:, :, edge][:, :, :, edge].flatten(2)
    ground = corners.sort(dim=2).values[:, :, corners.shape[2] // 2]
    difference = (x - ground[:, :, None, None]).abs().amax(1, keepdim=True) * (127.5 / 64)
    return difference.clamp(max=2) - 1


def varied(x: Tensor, generator: torch.Generator) -> Tensor:
    """Data augmentation: other colours, mirroring, shifts, scales, warping and noise of each board;
    colours from -1 to 1."""

    def rand(*shape: int) -> Tensor:
        return torch.rand(*shape, generator=generator)

    boards = x.shape[0] // 64
    x = x.view(boards, 64, 3, SIDE, SIDE)
    parts = []
    for board in x:
        if rand(1).item() < 0.3:
            board = board[:, torch.randperm(3, generator=generator)]
        if rand(1).item() < 0.5:
            board = board.flip(3)
        parts.append(board)
    x = torch.stack(parts)
    # Contrast and brightness, of all channels and of each.
    strong = (rand(boards, 1, 1, 1, 1) < 0.6).float()
    gain = 1 + strong * (rand(boards, 1, 1, 1, 1) * 0.35 - 0.25)
    gain = gain * (1 + strong * (rand(boards, 1, 3, 1, 1) * 0.2 - 0.1))
    bias = strong * (rand(boards, 1, 3, 1, 1) * 0.2 - 0.1)
    x = (x * gain + bias).clamp(-1, 1).view(-1, 3, SIDE, SIDE)
    # Places that are not found exactly.
    board_shift = (rand(boards, 1, 2) - 0.5) * 0.14
    shift = (board_shift + (rand(boards, 64, 2) - 0.5) * 0.05).view(-1, 2)
    scale = (1 + (rand(boards, 1, 2) - 0.5) * 0.16).expand(boards, 64, 2).reshape(-1, 2)
    theta = torch.zeros(x.shape[0], 2, 3)
    theta[:, 0, 0], theta[:, 1, 1], theta[:, :, 2] = scale[:, 0], scale[:, 1], shift
    grid = functional.affine_grid(theta, list(x.shape), align_corners=False)
    # Shapes of pieces of other sets: the squares of a board are warped by one smooth field.
    field = (rand(boards, 2, 4, 4) * 2 - 1) * rand(boards, 1, 1, 1) * 0.16
    field = functional.interpolate(field, (SIDE, SIDE), mode="bicubic", align_corners=False)
    field = field * (rand(boards, 1, 1, 1) < 0.6).float()
    field = field.permute(0, 2, 3, 1)[:, None].expand(boards, 64, SIDE, SIDE, 2)
    grid = grid + field.reshape(-1, SIDE, SIDE, 2)
    x = functional.grid_sample(x, grid, padding_mode="border", align_corners=False)
    noise = (rand(boards, 1, 1, 1) < 0.25).float() * rand(boards, 1, 1, 1) * 0.1
    noise = noise.expand(boards, 64, 1, 1).reshape(-1, 1, 1, 1)
    return x + noise * torch.randn(x.shape, generator=generator)


def batches(folder: Path, generator: torch.Generator):
    """Batches of boards without end: files in random order, each seen as often as others."""
    seen: dict[Path, int] = {}
    while True:
        files = sorted(folder.glob("*.squares"))
        if not files:
            raise SystemExit(
                f"{folder} has no file *.squares: `train_picture -- squares` makes them"
            )
        some = sorted(files, key=lambda it: (seen.get(it, 0), random.random()))[:2]
        boards = []
        for path in some:
            seen[path] = seen.get(path, 0) + 1
            boards.append(np.fromfile(path, np.uint8).reshape(-1, BOARD_BYTES))
        pool = np.concatenate(boards)
        order = torch.randperm(len(pool), generator=generator).numpy()
        for at in range(0, len(pool) - BOARDS + 1, BOARDS):
            part = pool[order[at : at + BOARDS]]
            classes = torch.from_numpy(part[:, :64].astype(np.int64)).flatten()
            colours = torch.from_numpy(part[:, 64:].reshape(-1, 3, SIDE, SIDE))
            x = varied(colours.float() / 127.5 - 1, generator)
            yield torch.cat([x, ground_difference(x)], 1), classes


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains the network that reads squares.")
    parser.add_argument("folder", type=Path, help="with the files *.squares")
    parser.add_argument("weights", type=Path, help="the file that is written")
    parser.add_argument("minutes", type=float)
    parser.add_argument("--rate", type=float, default=0.002, help="the highest learning rate")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    folder, weights, highest = arguments.folder, arguments.weights, arguments.rate
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(1)
    generator = torch.Generator().manual_seed(int(time.time()))
    net, mean = Net(), Net()
    state = weights.with_suffix(".state")
    if state.exists():
        net.load_state_dict(torch.load(state))
    mean.load_state_dict(net.state_dict())
    net = net.to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(net.parameters(), lr=highest, weight_decay=1e-3)
    start, total, right, count = time.time(), 0.0, np.zeros(2), 0
    for steps, (inputs, classes) in enumerate(batches(folder, generator), 1):
        done = (time.time() - start) / (60 * arguments.minutes)
        if done >= 1:
            break
        rate = highest * min(steps / 200, 1) * (1 + math.cos(math.pi * done)) / 2 + 1e-6
        for group in optimiser.param_groups:
            group["lr"] = rate
        with torch.autocast("cpu", torch.bfloat16):
            alone, together = net(inputs.to(memory_format=torch.channels_last))
        loss = functional.cross_entropy(alone.float(), classes, label_smoothing=0.01)
        loss = loss + functional.cross_entropy(together.float(), classes, label_smoothing=0.01)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5)
        optimiser.step()
        # The moving mean of the weights, which is better than any of them.
        part = 1 / min(steps, 500)
        with torch.no_grad():
            for old, new in zip(mean.state_dict().values(), net.state_dict().values(), strict=True):
                if old.is_floating_point():
                    old.lerp_(new, part)
                else:
                    old.copy_(new)
        total += loss.item()
        shown = classes > 0
        for at, logits in enumerate([alone, together]):
            right[at] += (logits.argmax(1) == classes)[shown].sum().item()
        count += shown.sum().item()
        if steps % 200 == 0:
            seconds = time.time() - start
            print(
                f"{seconds:.0f} s: {steps} steps ({steps * BOARDS / seconds:.0f} boards/s), "
                f"loss {total / 200:.4f}, pieces wrong {100 - 100 * right[0] / count:.2f} % "
                f"alone, {100 - 100 * right[1] / count:.2f} % together",
                flush=True,
            )
            total, right, count = 0.0, np.zeros(2), 0
            if steps % 1000 == 0:
                write(mean, weights)
                torch.save(mean.state_dict(), state)
    write(mean, weights)
    torch.save(mean.state_dict(), state)


if __name__ == "__main__":
    main()
