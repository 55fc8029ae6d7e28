const orders = new Map([['7', { total: 59 }]]);

export async function GET(_request, { params }) {
  const { id } = await params;
  console.log(`Order ${id} is wanted`);
  // Orders that do not exist are not handled.
  return Response.json({ total: orders.get(id).total });
}
