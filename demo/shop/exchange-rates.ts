/** Returns the amount of a currency for one euro. */
export async function exchangeRate(ratesUrl: string, currency: string): Promise<number> {
  const answer = await fetch(`${ratesUrl}/latest?base=EUR`);
  const rates = parseRates(await answer.text());
  return rates[currency] ?? Number.NaN;
}

function parseRates(text: string): Record<string, number> {
  // Trusts the other side: when that is in trouble, it answers with a page for people.
  return JSON.parse(text).rates;
}
