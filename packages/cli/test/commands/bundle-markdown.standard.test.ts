import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { shareCulprit } from '../../../server/test/support/shared-culprit.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';

/** A bundle for an issue or an agent: what it keeps to itself, and how long it gets (C-23). */

let signedIn: SignedIn;
beforeAll(async () => {
  signedIn = await signIn(await shareCulprit());
  await signedIn.fail('mail ada@people.test told @team about #12 ![x](https://evil.test/x)');
});
afterAll(() => signedIn.home.remove());

async function markdown(...args: string[]): Promise<string> {
  const { code, out, err } = await signedIn.home.run(['bundle', '@latest', '--wait', '--markdown', ...args]);
  expect({ code, err }).toMatchObject({ code: 0 });
  return out;
}

it('leaves addresses of people out unless it is raw, and notifies nobody', async () => {
  const clean = await markdown();
  expect(clean).not.toContain('ada@people.test');
  expect(clean).toContain('[email]');
  const [heading = ''] = clean.split('\n');
  expect(heading).not.toMatch(/@team|#12|!\[x\]\(/);
  expect(await markdown('--raw')).toContain('ada@people.test');
});

it('keeps the best evidence within a number of tokens', async () => {
  for (const tokensMax of [300, 600, 2000]) {
    const page = await markdown('--max-tokens', String(tokensMax));
    expect(countTokens(page), `${tokensMax}`).toBeLessThanOrEqual(tokensMax);
    expect(page).toMatch(/^## .*\n/);
    expect(page).not.toContain('ada@people.test');
  }
  expect(await markdown('--max-tokens', '2000')).toContain('### error');
  const text = await signedIn.home.run(['bundle', '@latest', '--max-tokens', '500']);
  expect(text).toMatchObject({ code: 2, err: expect.stringContaining('--markdown') });
});
