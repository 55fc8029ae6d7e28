/** The latest entries of a trail, oldest first. */
export interface Ring<Item> {
  add(item: Item): void;
  items(): Item[];
  clear(): void;
}

export function createRing<Item>(max: number): Ring<Item> {
  let items: Item[] = [];
  return {
    add(item) {
      if (max > 0) items.push(item);
      if (items.length > max) items.shift();
    },
    items: () => items.slice(),
    clear() {
      items = [];
    },
  };
}
