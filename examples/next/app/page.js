'use client';

import { useState } from 'react';

export default function Page() {
  const [total, setTotal] = useState(null);

  async function show(id) {
    const response = await fetch(`/api/orders/${id}`);
    if (!response.ok) throw new Error(`There is no order ${id}`);
    const order = await response.json();
    setTotal(order.total);
  }

  return (
    <main>
      <button type="button" id="known" onClick={() => show('7')}>
        Order 7
      </button>
      <button type="button" id="unknown" onClick={() => show('8')}>
        Order 8
      </button>
      <p>{total === null ? 'Choose an order.' : `${total} euros`}</p>
    </main>
  );
}
