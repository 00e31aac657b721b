import type { components } from '@fairlead/platform-client'
import { ConfirmDialog, CreateDialog, EditDialog } from '../../form/edit-dialog.tsx'
import { ChecksField, TextField } from '../../form/fields.tsx'
import { OverlapField } from '../../form/overlap-field.tsx'
import { localTime, text, checkedValues, timeOrNull } from '../../form/values.ts'
import { bodyOf, ifMatch, platform, versionOf } from '../../platform/client.ts'
import { type Scope, useSession } from '../../platform/session.tsx'

type ApiKey = components['schemas']['ApiKey']

function Fields({
  name,
  expiresAt,
  scopes,
  availableScopes,
}: {
  readonly name: string
  readonly expiresAt: string | null
  readonly scopes: readonly Scope[]
  readonly availableScopes: readonly Scope[]
}) {
  return (
    <>
      <TextField
        name="name"
        label="Name"
        value={name}
        maxLength={100}
        hint="Where the key is used, for example an application name."
        required
      />
      <ChecksField
        name="scopes"
        label="Scopes"
        hint="A key cannot exceed the permissions of its creator."
        choices={availableScopes.map((value) => ({ value, label: value }))}
        checked={scopes}
      />
      <TextField
        name="expires_at"
        label="Expires"
        type="datetime-local"
        value={localTime(expiresAt)}
        hint="Leave empty for no expiry."
      />
    </>
  )
}

function valuesOf(values: FormData, availableScopes: readonly Scope[]) {
  return {
    name: text(values, 'name'),
    scopes: checkedValues(values, 'scopes', availableScopes),
    expires_at: timeOrNull(values, 'expires_at'),
  }
}

/** Creates a key and passes it to `onIssued`. */
export function CreateKey({ onIssued, onClose }: { onIssued(key: string): void; onClose(): void }) {
  const { scopes } = useSession()
  return (
    <CreateDialog
      title="New API key"
      submit="Create API key"
      onClose={onClose}
      create={async (values) => {
        const body = valuesOf(values, scopes)
        onIssued((await bodyOf(platform.POST('/v1/api-keys/', { body }))).key)
      }}
    >
      <Fields name="" expiresAt={null} scopes={[]} availableScopes={scopes} />
    </CreateDialog>
  )
}

interface KeyDialogProps {
  readonly apiKey: ApiKey
  onClose(): void
}

const keyUrl = '/v1/api-keys/{id}/'

/** Edits name, scopes and expiry of a key. */
export function EditKey({ apiKey, onSaved, onClose }: KeyDialogProps & { onSaved(): void }) {
  const session = useSession()
  const path = { id: apiKey.id }
  // A scope that the user does not have stays unchanged.
  const availableScopes = [...new Set([...session.scopes, ...apiKey.scopes])]
  return (
    <EditDialog
      title="Edit API key"
      load={() => versionOf(platform.GET(keyUrl, { params: { path } }))}
      save={(values, etag) => {
        const body = valuesOf(values, availableScopes)
        return bodyOf(platform.PATCH(keyUrl, { params: { path, header: ifMatch(etag) }, body }))
      }}
      onSaved={onSaved}
      onClose={onClose}
    >
      {({ name, expires_at: expiresAt, scopes }) => (
        <Fields name={name} expiresAt={expiresAt} scopes={scopes} availableScopes={availableScopes} />
      )}
    </EditDialog>
  )
}

/** Rotates the secret of a key and passes the new one to `onIssued`. */
export function RotateKey({ apiKey, onIssued, onClose }: KeyDialogProps & { onIssued(key: string): void }) {
  return (
    <CreateDialog
      title={`Rotate ${apiKey.name}`}
      submit="Rotate"
      onClose={onClose}
      create={async (values) => {
        const params = { path: { id: apiKey.id } }
        const body = { overlap_seconds: Number(text(values, 'overlap_seconds')) }
        onIssued((await bodyOf(platform.POST('/v1/api-keys/{id}/rotate/', { params, body }))).key)
      }}
    >
      <p>Creates a new secret for this key. Update your application before the old secret expires.</p>
      <OverlapField />
    </CreateDialog>
  )
}

/** Revokes a key. */
export function RevokeKey({ apiKey, onRevoked, onClose }: KeyDialogProps & { onRevoked(): void }) {
  return (
    <ConfirmDialog
      title={`Revoke ${apiKey.name}?`}
      submit="Revoke"
      done="API key revoked"
      confirm={() => bodyOf(platform.DELETE(keyUrl, { params: { path: { id: apiKey.id } } }))}
      onDone={onRevoked}
      onClose={onClose}
    >
      Requests with this key are rejected immediately. This cannot be undone.
    </ConfirmDialog>
  )
}
