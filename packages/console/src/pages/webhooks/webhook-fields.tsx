import type { components } from '@fairlead/platform-client'
import { CheckField, ChecksField, TextField } from '../../form/fields.tsx'
import { isChecked, text, checkedValues } from '../../form/values.ts'

type WebhookEvent = components['schemas']['WebhookEvent']

const eventLabels: Readonly<Record<WebhookEvent, string>> = {
  'quota.warning': 'Quota at 80%',
  'quota.exhausted': 'Quota exhausted',
  'upstream.down': 'Upstream down',
  'upstream.up': 'Upstream up',
  'credential.new_address': 'Credential used from a new IP address',
}

const events = Object.keys(eventLabels).filter((name): name is WebhookEvent => name in eventLabels)

/** The fields of a webhook. */
export function WebhookFields({ webhook }: { readonly webhook?: components['schemas']['Webhook'] }) {
  return (
    <>
      <TextField
        name="url"
        label="URL"
        type="url"
        value={webhook?.url}
        placeholder="https://ops.example/fairlead"
        hint="Receives a POST request for each event."
        required
      />
      <TextField name="description" label="Description" value={webhook?.description} maxLength={1000} />
      <ChecksField
        name="events"
        label="Events"
        choices={events.map((value) => ({ value, label: eventLabels[value] }))}
        checked={webhook?.events ?? []}
      />
      <CheckField name="active" label="Enabled" checked={webhook?.active ?? true} />
    </>
  )
}

/** The entered values of a webhook. */
export function webhookOf(values: FormData) {
  return {
    url: text(values, 'url'),
    description: text(values, 'description'),
    events: checkedValues(values, 'events', events),
    active: isChecked(values, 'active'),
  }
}
