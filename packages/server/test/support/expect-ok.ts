/** The body of a successful answer to the client of the contract; throws for every other one. */
export function expectOk<Body>(
  result: { ok: true; body: Body } | { ok: false; status: number; error: string },
): Body {
  if (!result.ok) throw new Error(`answered ${result.status} ${result.error}`);
  return result.body;
}
