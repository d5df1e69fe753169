/** Queries about the organization: its members and its supplier factors. */
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { all, api, call, refresh, type Schemas, take } from '../api/client';

export type Factor = Schemas['SupplierFactor'];

/** The names and roles of the members; for everybody but viewers. */
export function useMembers(wanted = true) {
  return useQuery({
    queryKey: ['members'],
    enabled: wanted,
    staleTime: 30_000,
    queryFn: () => all((page) => take(api.GET('/organization/members', { params: { query: { page, limit: 100 } } }))),
  });
}

export const allFactors = (): Promise<Factor[]> =>
  all((page) => take(api.GET('/supplier-factors', { params: { query: { page, limit: 100 } } })));

export function useFactors() {
  return useQuery({ queryKey: ['supplier-factors'], queryFn: allFactors });
}

/** Gives somebody another name; own: who is signed in. */
export async function rename(client: QueryClient, id: string, name: string, own: boolean): Promise<void> {
  await call('PATCH', `/users/${id}`, { name });
  if (!own) return;
  // The token of the session states the name that it had when it was issued.
  await refresh(Date.now());
  await client.invalidateQueries({ queryKey: ['me'] });
}
