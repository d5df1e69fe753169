import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { FormModal } from '../ui/FormModal';
import { useUnsaved } from '../ui/leave';
import { EventForm } from './EventForm';

/** Asks for a new event, and goes to its sheet. */
export function NewEvent({ close }: { close: () => void }): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const unsaved = useUnsaved();
  return (
    <FormModal title={t('events.create')} large unsaved={unsaved} close={close}>
      <EventForm
        filled={unsaved.fill}
        cancel={() => unsaved.leave(close)}
        done={(e) => {
          unsaved.clear();
          close();
          void navigate({ to: '/events/$eventId/sheet', params: { eventId: e._id } });
        }}
      />
    </FormModal>
  );
}
