// A long list of which only the part in view is in the document. Items come in chunks; a chunk far
// from view is an empty box of the height it had, or of a guess from the length of its text.
const CHUNK = 10;
const NEAR = "600px";

const controls = (node) => [...node.querySelectorAll("button, a, select")];

export class VirtualList {
  constructor(scroller, host, { render, key = (item) => item.id, guess = () => 60 }) {
    Object.assign(this, { scroller, host, render, key, guess, items: [], chunks: [], nodes: new Map() });
    this.observer = new IntersectionObserver((entries) => {
      if (scroller && !scroller.clientHeight) return;  // in a view that is hidden boxes have no height to keep
      for (const entry of entries) {
        const chunk = this.chunks[Number(entry.target.dataset.chunk)];
        if (chunk?.box !== entry.target) continue;
        if (entry.isIntersecting) this.fill(chunk); else this.clear(chunk);
      }
    }, { root: scroller, rootMargin: NEAR });
  }

  update(items) {
    const held = this.held();
    this.show(items);
    if (held && !held.node.isConnected) this.refocus(held);
  }

  // Which item has the focus, and which of its controls.
  held() {
    const node = document.activeElement;
    if (!this.host.contains(node)) return null;
    for (const [key, own] of this.nodes) if (own.contains(node)) return { node, key, at: controls(own).indexOf(node), place: this.items.findIndex((item) => this.key(item) === key) };
    return null;
  }

  refocus({ key, at, place }) {  // if the item is gone, the one in its place
    const next = this.items[Math.min(place, this.items.length - 1)];
    const node = this.node(key) ?? (next && this.node(this.key(next)));
    const target = node && at >= 0 ? controls(node)[at] ?? node : node;
    (target ?? this.scroller)?.focus({ preventScroll: true });
  }

  show(items) {
    const top = this.scroller?.scrollTop ?? 0;
    this.items = items;
    this.nodes.clear();
    const wanted = Math.ceil(items.length / CHUNK);
    while (this.chunks.length > wanted) {
      const { box } = this.chunks.pop();
      this.observer.unobserve(box);
      box.remove();
    }
    for (let number = 0; number < wanted; number += 1) {
      let chunk = this.chunks[number];
      const fresh = !chunk;
      if (fresh) {
        const box = document.createElement("div");
        box.className = "chunk";
        box.dataset.chunk = String(number);
        box.setAttribute("role", "presentation");
        chunk = this.chunks[number] = { box, full: false };
        this.host.append(box);
      }
      chunk.items = items.slice(number * CHUNK, (number + 1) * CHUNK);
      chunk.start = number * CHUNK;
      if (chunk.full) { chunk.full = false; this.fill(chunk); }
      else if (number === 0) this.fill(chunk);  // what is seen first is there at once
      else chunk.box.style.height = `${chunk.items.reduce((sum, item) => sum + this.guess(item), 0)}px`;
      if (fresh) this.observer.observe(chunk.box);
    }
    if (this.scroller && Math.abs(this.scroller.scrollTop - top) > 1) this.scroller.scrollTop = top;
  }

  fill(chunk) {
    if (chunk.full) return;
    const nodes = chunk.items.map((item, place) => {
      const node = this.render(item, chunk.start + place);
      this.nodes.set(this.key(item), node);
      return node;
    });
    chunk.box.replaceChildren(...nodes);
    chunk.box.style.height = "";
    chunk.full = true;
  }

  clear(chunk) {
    if (!chunk.full || chunk.box.contains(document.activeElement) || chunk.box.querySelector(".drag")) return;
    chunk.box.style.height = `${chunk.box.offsetHeight}px`;
    for (const item of chunk.items) this.nodes.delete(this.key(item));
    chunk.box.replaceChildren();
    chunk.full = false;
  }

  node(key) {  // of an item, put into the document if it is not
    const at = this.items.findIndex((item) => this.key(item) === key);
    if (at < 0) return null;
    this.fill(this.chunks[Math.floor(at / CHUNK)]);
    return this.nodes.get(key);
  }

  reveal(key, { focus = false, block = "center" } = {}) {
    const node = this.node(key);
    if (!node) return null;
    const at = Number(node.parentElement.dataset.chunk);  // what is around has its true height before the scrolling
    for (const beside of [at - 1, at + 1]) if (this.chunks[beside]) this.fill(this.chunks[beside]);
    node.scrollIntoView({ block, inline: "nearest" });
    if (focus) node.focus({ preventScroll: true });
    return node;
  }

  end() { this.observer.disconnect(); }

  get shown() { return this.nodes; }
}
