/** Queries about the organization: its members and its supplier factors. */
import { useQuery } from '@tanstack/react-query';
import { all, api, type Schemas, take } from '../api/client';

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
