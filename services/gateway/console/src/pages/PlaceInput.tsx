import { Autocomplete } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Choice, searchPlaces } from '../sheet/places';

/** A place that is typed, or found by name among towns, airports and cities. */
export function PlaceInput({ start, error }: { start: string; error: string | undefined }): ReactNode {
  const { t } = useTranslation();
  const [text, setText] = useState(start);
  const [found, setFound] = useState<Choice[]>([]);
  useEffect(() => {
    let live = true;
    if (text.trim().length < 2 || text === start) setFound([]);
    else
      void searchPlaces(text).then(
        (list) => live && setFound(list),
        () => {},
      );
    return () => {
      live = false;
    };
  }, [text, start]);
  const labels = new Map(found.map((c) => [c.value, c.label]));
  return (
    <Autocomplete
      name="place"
      label={t('event.place')}
      description={t('event.placeHint')}
      maxLength={200}
      value={text}
      onChange={setText}
      data={[...labels.keys()]}
      // Matches by prefix or code are shown regardless of their spelling.
      filter={({ options }) => options}
      renderOption={({ option }) => labels.get(option.value) ?? option.value}
      error={error}
      // Below the input what is found would stand over the fault.
      inputWrapperOrder={['label', 'description', 'error', 'input']}
    />
  );
}
