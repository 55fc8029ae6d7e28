interface Page {
  next_cursor: string | null;
}

/** Reads a list to its end, page by page. For lists whose length people set themselves, such as tokens and rules. */
export async function readAllPages<P extends Page, Item>(
  readPage: (page: { limit: number; cursor?: string }) => Promise<P>,
  itemsOf: (page: P) => readonly Item[],
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const page: P = await readPage({ limit: PAGE_SIZE, ...(cursor === null ? {} : { cursor }) });
    items.push(...itemsOf(page));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return items;
}

const PAGE_SIZE = 100;
