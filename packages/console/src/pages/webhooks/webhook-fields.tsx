import type { components } from '@fairlead/platform-client'
import { CheckField, ChecksField, TextField } from '../../form/fields.tsx'
import { isTicked, text, ticked } from '../../form/values.ts'

type WebhookEvent = components['schemas']['WebhookEvent']

const eventLabels: Readonly<Record<WebhookEvent, string>> = {
  'quota.warning': '80 % of a quota are used',
  'quota.exhausted': 'A quota is used up',
  'upstream.down': 'An upstream went down',
  'upstream.up': 'An upstream is back',
  'credential.new_address': 'A credential was used from a new address',
}

const events = Object.keys(eventLabels).filter((name): name is WebhookEvent => name in eventLabels)

/** The fields of a webhook. */
export function WebhookFields({ webhook }: { readonly webhook?: components['schemas']['Webhook'] }) {
  return (
    <>
      <TextField
        name="url"
        label="Address"
        type="url"
        value={webhook?.url}
        placeholder="https://ops.example/fairlead"
        hint="It gets a POST for each event."
        required
      />
      <TextField name="description" label="Description" value={webhook?.description} maxLength={1000} />
      <ChecksField
        name="events"
        label="Events"
        choices={events.map((value) => ({ value, label: eventLabels[value] }))}
        checked={webhook?.events ?? []}
      />
      <CheckField name="active" label="Send events" checked={webhook?.active ?? true} />
    </>
  )
}

/** The entered values of a webhook. */
export function webhookOf(values: FormData) {
  return {
    url: text(values, 'url'),
    description: text(values, 'description'),
    events: ticked(values, 'events', events),
    active: isTicked(values, 'active'),
  }
}
