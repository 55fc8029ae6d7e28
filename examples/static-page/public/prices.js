const prices = { lamp: { euros: 59 } };

for (const button of document.querySelectorAll('button')) {
  button.addEventListener('click', () => showPrice(button.id));
}

function showPrice(product) {
  // Nobody has thought of products without a price.
  document.querySelector('#price').textContent = `${prices[product].euros} euros`;
}
