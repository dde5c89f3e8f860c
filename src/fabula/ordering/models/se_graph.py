"""SE-Graph (Yin et al. 2019): units and the nouns they share pass messages along a graph.

x_i is unit i by a BiLSTM, w_k the word vector of entity k, r_ik the vector of its role in unit i
(subject, object, other); units that share an entity are linked, A_ij = 1, none with itself. The
states s (of units), e (of entities) and g (of the text) start at 0 and are updated twice by the
same weights:

    m_ss(i) = sum_j A_ij s_j
    m_se(i) = sum_k sigmoid(G1 [s_i; e_k; r_ik]) * [e_k; r_ik]
    m_es(k) = sum_i sigmoid(G2 [e_k; s_i; r_ik]) * [s_i; r_ik]
    s <- GRU_s([x; m_ss; m_se; g], s)
    e <- GRU_e([w; m_es; g], e)
    g <- GRU_g([mean of s; sum of e / (K + 1)], g)

A GRU's update gate keeps the old state. All of a step is computed from the states before it, but
for g, which sees the new s and e. The decoder starts from h = g, c = 0; its inputs and keys are
Linear [x; s].

Shapes: B texts, N units, K entities, S units in all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from fabula.core.training import need_torch
from fabula.errors import UsageError
from fabula.ordering.models.pointer.base import PointerModel
from fabula.ordering.models.pointer.lstm import LastStates
from fabula.ordering.models.pointer.network import Decoder, Pointer, embed, spread
from fabula.text.segment.words import PADDING

torch = need_torch()
nn = torch.nn

__all__ = ["GraphLayer", "SeGraph", "linked_units"]


@dataclass(kw_only=True, eq=False, repr=False)
class SeGraph(PointerModel):
    """Words of 100, units 150 each way, states of 300, entities of 150; Adadelta, dropout .5."""

    registered = "ordering/se-graph"
    graphs: ClassVar[bool] = True

    width: int = 100
    hidden: int = 300  # of x, s and g; the BiLSTM has half of it each way
    entity: int = 150
    role: int = 50
    steps: int = 2
    dropout: float = 0.5
    rate: float = 1.0
    l2: float = 1e-5

    def network(self, words: int) -> Any:
        if self.hidden % 2:
            raise UsageError(f"hidden is {self.hidden}; the two directions need an even number")
        return _SeGraphNetwork(self, words)

    def optimiser(self, network: Any) -> tuple[Any, Any]:
        parameters = network.parameters()
        return torch.optim.Adadelta(parameters, self.rate, rho=0.95, weight_decay=self.l2), None


class _SeGraphNetwork(nn.Module):  # type: ignore[misc, name-defined]
    """BiLSTM units, the graph layer over units and entities, the pointer decoder."""

    def __init__(self, model: SeGraph, words: int) -> None:
        super().__init__()
        size = model.hidden
        self.words = nn.Embedding(words, model.width, padding_idx=PADDING)
        self.reader = LastStates(model.width, size // 2, bidirectional=True)
        self.graph = GraphLayer(size, model.entity, model.role, model.width, model.steps)
        self.join = nn.Linear(2 * size, size)
        self.dropout = nn.Dropout(model.dropout)
        pointer = Pointer(size, size, size, model.heads, model.tanh)
        self.decoder = Decoder(inputs=size, state=size, pointer=pointer)

    def encode(self, batch: Any) -> tuple[Any, Any, Any]:
        h, _ = self.reader(embed(self.words, batch.words, self.dropout))
        x = self.dropout(spread(torch.cat([h[0], h[1]], dim=1), batch.real))
        w = self.dropout(self.words(batch.entities))  # [B, K, width]
        s, g = self.graph(x, w, batch.roles, batch.real)
        units = self.join(torch.cat([x, s], dim=2))
        return units, units, (g, torch.zeros_like(g))


class GraphLayer(nn.Module):  # type: ignore[misc, name-defined]
    """x [B, N, size], w [B, K, width], roles [B, N, K] (0: not there) to s [B, N, size] and g."""

    def __init__(self, size: int, entity: int, role: int, width: int, steps: int) -> None:
        super().__init__()
        self.size, self.entity, self.steps = size, entity, steps
        self.roles = nn.Embedding(4, role)
        self.gate_entity = nn.Linear(size + entity + role, entity + role)  # G1
        self.gate_unit = nn.Linear(size + entity + role, size + role)  # G2
        self.update_unit = nn.GRUCell(size + size + entity + role + size, size)
        self.update_entity = nn.GRUCell(width + size + role + size, entity)
        self.update_text = nn.GRUCell(size + entity, size)

    def forward(self, x: Any, w: Any, roles: Any, real: Any) -> tuple[Any, Any]:
        mentions = roles > 0  # [B, N, K]
        linked = linked_units(mentions, x.dtype)
        r = self.roles(roles)  # [B, N, K, role]
        s, e = torch.zeros_like(x), x.new_zeros((*w.shape[:2], self.entity))
        g = x.new_zeros((len(x), self.size))
        is_entity = mentions.any(1)  # [B, K]: an entity, not padding
        for _ in range(self.steps):
            to_units, to_entities = self.messages(s, e, r, mentions)
            text_state = g[:, None].expand(-1, x.shape[1], -1)
            unit_inputs = torch.cat([x, linked @ s, to_units, text_state], dim=2)
            text_state = g[:, None].expand(-1, w.shape[1], -1)
            entity_inputs = torch.cat([w, to_entities, text_state], dim=2)
            s = _update(self.update_unit, unit_inputs, s) * real[:, :, None]
            e = _update(self.update_entity, entity_inputs, e) * is_entity[:, :, None]
            unit_mean = s.sum(1) / real.sum(1, keepdim=True)
            entity_mean = e.sum(1) / (is_entity.sum(1, keepdim=True) + 1)
            g = self.update_text(torch.cat([unit_mean, entity_mean], dim=1), g)
        return s, g

    def messages(self, s: Any, e: Any, r: Any, mentions: Any) -> tuple[Any, Any]:
        """m_se [B, N, entity + role] and m_es [B, K, size + role]."""
        units = s[:, :, None].expand(-1, -1, e.shape[1], -1)
        entities = e[:, None].expand(-1, s.shape[1], -1, -1)
        edge = mentions[..., None].to(s.dtype)
        message = torch.cat([entities, r], dim=3)
        gate = self.gate_entity(torch.cat([units, entities, r], dim=3)).sigmoid()
        to_units = (gate * message * edge).sum(2)
        message = torch.cat([units, r], dim=3)
        gate = self.gate_unit(torch.cat([entities, units, r], dim=3)).sigmoid()
        return to_units, (gate * message * edge).sum(1)


def linked_units(mentions: Any, dtype: Any) -> Any:
    """A [B, N, N]: 1 for units that share an entity, 0 on the diagonal."""
    shared = (mentions.to(dtype) @ mentions.to(dtype).transpose(1, 2)) > 0
    return (shared & ~torch.eye(mentions.shape[1], dtype=torch.bool)).to(dtype)


def _update(cell: Any, inputs: Any, states: Any) -> Any:
    """A GRU cell over [B, M, ...]."""
    return cell(inputs.flatten(0, 1), states.flatten(0, 1)).unflatten(0, states.shape[:2])
