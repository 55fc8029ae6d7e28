import { DatabaseSync } from 'node:sqlite';

export interface Order {
  number: string;
  totalCents: number;
}

const database = new DatabaseSync(':memory:');
database.exec(`create table orders (
  order_number text primary key,
  cart_id text not null unique,
  total_cents integer not null check (total_cents > 0)
)`);
const insertion = database.prepare(
  'insert into orders (order_number, cart_id, total_cents) values (?, ?, ?)',
);

/** Keeps the order. The database refuses a second one for the same cart. */
export function storeOrder(order: Order, cartId: string): void {
  insertion.run(order.number, cartId, order.totalCents);
}
