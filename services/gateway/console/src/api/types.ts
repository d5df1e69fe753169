/** What can be recorded, in the language of the page. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { learnFields } from '../i18n/fields';
import { columnsOf } from '../sheet/columns';
import { api, take } from './client';

export function useRecordTypes() {
  const { i18n } = useTranslation();
  const language = i18n.resolvedLanguage ?? 'en';
  return useQuery({
    queryKey: ['types', language],
    queryFn: async () => {
      const types = await take(
        api.GET('/record-types', { params: { query: { limit: 100 }, header: { 'Accept-Language': language } } }),
      );
      for (const t of types.items) learnFields(columnsOf(t.schema));
      return types;
    },
    staleTime: Number.POSITIVE_INFINITY,
    // What is typed stays where it is while another language is fetched.
    placeholderData: keepPreviousData,
  });
}
