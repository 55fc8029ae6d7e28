export interface Product {
  id: string;
  name: string;
  /** In euro cents. */
  priceCents: number;
  weightGrams: number;
}

const PRODUCTS: readonly Product[] = [
  { id: 'lamp-1', name: 'Floor lamp', priceCents: 12_900, weightGrams: 4_200 },
  { id: 'lamp-2', name: 'Desk lamp', priceCents: 5_900, weightGrams: 1_300 },
];

export function listProducts(): readonly Product[] {
  return PRODUCTS;
}

export function findProduct(id: string): Product {
  const product = PRODUCTS.find((each) => each.id === id);
  if (product === undefined) throw new Error(`there is no product ${id}`);
  return product;
}
