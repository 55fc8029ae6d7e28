class StockError extends Error {
  override name = 'StockError';
}

const ANSWER_TIMEOUT_MS = 250;

/** Pieces in the warehouse. */
export async function piecesInStock(stockUrl: string, productId: string): Promise<number> {
  try {
    const answer = await fetch(`${stockUrl}/pieces/${productId}`, {
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    return Number(await answer.text());
  } catch (error) {
    throw new StockError(`the warehouse did not say how many are left of ${productId}`, { cause: error });
  }
}
