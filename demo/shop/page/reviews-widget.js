// A widget of another company, served from another origin: it expects an element that this page does not have.
document.querySelector('#reviews').dataset.product = 'lamp-2';
