/** What can be recorded, in the language of the page. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, take } from './client';

export function useRecordTypes() {
  const { i18n } = useTranslation();
  const language = i18n.resolvedLanguage ?? 'en';
  return useQuery({
    queryKey: ['types', language],
    queryFn: () =>
      take(api.GET('/record-types', { params: { query: { limit: 100 }, header: { 'Accept-Language': language } } })),
    staleTime: Number.POSITIVE_INFINITY,
    // What is typed stays where it is while another language is fetched.
    placeholderData: keepPreviousData,
  });
}
