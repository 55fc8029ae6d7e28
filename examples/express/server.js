import { init, setUser } from '@culprit/node';
import express from 'express';

// Reads CULPRIT_PROJECT_TOKEN and CULPRIT_ENDPOINT.
init({ service: 'example-express' });

const app = express();

app.get('/prices/:id', (request, response) => {
  if (request.params.id === '7') response.json({ price: { cents: 5900 } });
  else response.status(404).json({});
});

app.get('/orders/:id', async (request, response) => {
  setUser({ id: 'customer-1' });
  console.log(`Order ${request.params.id} is wanted`);
  const answer = await fetch(`${addressOf(server)}/prices/${request.params.id}`);
  // Orders without a price are not handled.
  const { price } = await answer.json();
  response.json({ total: price.cents / 100 });
});

const server = app.listen(process.env.PORT ?? 3000, () => console.log(addressOf(server)));

function addressOf(listening) {
  return `http://localhost:${listening.address().port}`;
}
