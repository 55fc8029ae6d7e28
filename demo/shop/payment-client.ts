import { request } from 'node:http';

/** The shop loses money while this happens. */
export class PaymentError extends Error {
  override name = 'PaymentError';
}

/** Takes money by card. */
export async function takePayment(providerUrl: string, cents: number, cardNumber: string): Promise<void> {
  try {
    const status = await postJson(`${providerUrl}/charges`, { cents, card_number: cardNumber });
    if (status !== 201) throw new Error(`the provider answered with status code ${status}`);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no answer';
    throw new PaymentError(`the payment was not taken (${code})`, { cause: error });
  }
}

function postJson(url: string, body: object): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(url, { method: 'POST', headers: { 'content-type': 'application/json' } });
    call.on('error', reject);
    call.on('response', (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    call.end(JSON.stringify(body));
  });
}
