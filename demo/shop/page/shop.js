// The script of the shop's page: plain browser code.

const cart = { id: null, token: null };

when('#add-to-cart', 'click', async () => {
  const answer = await callShop('POST', '/api/cart', { product_id: 'lamp-2', quantity: 1 });
  cart.id = answer.cart_id;
  cart.token = answer.cart_token;
  show('The desk lamp is in the cart.');
});

when('#to-checkout', 'click', () => history.pushState({}, '', '/checkout'));

when('#checkout-form', 'submit', async (event) => {
  event.preventDefault();
  const { email, password, country, payment, card_number } = valuesOf(event.target);
  const answer = await callShop('POST', '/api/checkout', {
    cart_id: cart.id,
    customer: { email, password, address: country ? { country } : undefined },
    payment: { kind: payment, card_number: card_number || undefined },
  });
  showConfirmation(answer);
});

when('#show-stock', 'click', async () => {
  const answer = await callShop('GET', '/api/products/lamp-2/stock');
  show(answer.error ?? `${answer.pieces} left`);
});

when('#show-dollars', 'click', async () => {
  const answer = await callShop('GET', '/api/products/lamp-2/price?currency=USD');
  show(answer.error ?? `${answer.amount} USD`);
});

when('#show-recommendations', 'click', async () => {
  const answer = await callShop('GET', '/api/recommendations');
  show(answer.error ?? answer.products.join(', '));
});

// Ignores that the answer may be an error. This is one of the failures of the demo.
function showConfirmation(answer) {
  show(`Thank you! Your order is ${answer.order.number}.`);
}

async function callShop(method, path, body) {
  const headers = { accept: 'application/json' };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (cart.token !== null) headers.authorization = `Bearer ${cart.token}`;
  document.body.ariaBusy = 'true';
  try {
    const response = await fetch(path, { method, headers, body: JSON.stringify(body) });
    return await response.json();
  } finally {
    document.body.ariaBusy = 'false';
  }
}

function valuesOf(form) {
  return Object.fromEntries([...form.elements].map(({ name, value }) => [name, value]));
}

function when(selector, type, handler) {
  document.querySelector(selector).addEventListener(type, handler);
}

function show(text) {
  document.querySelector('#message').textContent = text;
}
