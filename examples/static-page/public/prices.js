const prices = { lamp: { euros: 59 } };

for (const button of document.querySelectorAll('button')) {
  button.addEventListener('click', () => showPrice(button.id));
}

function showPrice(product) {
  // Products without a price are not handled.
  document.querySelector('#price').textContent = `${prices[product].euros} euros`;
}
