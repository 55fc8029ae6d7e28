import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import './ui/layers/tip.css';
import { queryClient } from './api/query-client.ts';
import { router } from './router.tsx';

/** Everything there is. */
export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  );
}
