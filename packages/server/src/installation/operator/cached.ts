/** Asks at most once in that time, whoever wants to know; an answer that fails is not cached. */
export function cached<Answer>(cachedMs: number, ask: () => Promise<Answer>): () => Promise<Answer> {
  let latest: { answer: Promise<Answer>; askedAtMs: number } | null = null;
  return () => {
    if (latest !== null && performance.now() - latest.askedAtMs < cachedMs) return latest.answer;
    const asked = { answer: ask(), askedAtMs: performance.now() };
    latest = asked;
    asked.answer.catch(() => {
      if (latest === asked) latest = null;
    });
    return asked.answer;
  };
}
