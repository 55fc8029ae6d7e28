import { init } from '@culprit/node';
import Fastify from 'fastify';

// Reads CULPRIT_PROJECT_TOKEN and CULPRIT_ENDPOINT. Before the server is made, so that it can be watched.
init({ service: 'example-fastify', requestBodies: 'failures' });

const app = Fastify({ logger: true });
const prices = new Map([['lamp', 5900]]);

app.post('/carts/:id/items', async (request) => {
  const { product, quantity } = request.body;
  request.log.warn({ product }, 'Prices are old');
  return { cents: priceOf(product) * quantity };
});

function priceOf(product) {
  const cents = prices.get(product);
  if (cents === undefined) throw new RangeError(`there is no price of ${product}`);
  return cents;
}

await app.listen({ port: Number(process.env.PORT ?? 3000) });
