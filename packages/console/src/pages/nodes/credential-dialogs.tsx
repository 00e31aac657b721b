import type { components } from '@fairlead/platform-client'
import { ConfirmDialog, CreateDialog, EditDialog } from '../../form/edit-dialog.tsx'
import { SelectField, TextField } from '../../form/fields.tsx'
import { OverlapField } from '../../form/overlap-field.tsx'
import { chosen, localTime, text, timeOrNull } from '../../form/values.ts'
import { bodyOf, ifMatch, platform, versionOf } from '../../platform/client.ts'
import { LimitsDialog } from '../limits/limits-card.tsx'

type Credential = components['schemas']['NodeCredential']
type Kind = Credential['kind']
type NodeSecret = components['schemas']['NodeSecret']

interface Shared {
  readonly nodeId: string
  onClose(): void
}

const kindLabels: Readonly<Record<Kind, string>> = {
  token: 'Token in the address',
  basic: 'User name and password',
  'x-token': 'Metadata x-token, for gRPC',
}

function Fields({ label, expiresAt }: { readonly label: string; readonly expiresAt: string | null }) {
  return (
    <>
      <TextField
        name="label"
        label="Label"
        value={label}
        maxLength={100}
        hint="Who or what uses it, for example the name of a program."
      />
      <TextField
        name="expires_at"
        label="Expires"
        type="datetime-local"
        value={localTime(expiresAt)}
        hint="Empty: it works until it is revoked."
      />
    </>
  )
}

/** Creates a credential and passes on its secret. */
export function CreateCredential({
  nodeId,
  protocols,
  onIssued,
  onClose,
}: Shared & { readonly protocols: readonly string[]; onIssued(secret: NodeSecret): void }) {
  const kinds: readonly [Kind, ...Kind[]] = protocols.includes('grpc')
    ? protocols.length === 1
      ? ['x-token']
      : ['token', 'basic', 'x-token']
    : ['token', 'basic']
  return (
    <CreateDialog
      title="New credential"
      submit="Create credential"
      onClose={onClose}
      create={async (values) => {
        const body = {
          kind: chosen(values, 'kind', kinds),
          label: text(values, 'label'),
          expires_at: timeOrNull(values, 'expires_at'),
        }
        onIssued(
          await bodyOf(
            platform.POST('/v2/nodes/{id}/credentials/', { params: { path: { id: nodeId } }, body }),
          ),
        )
      }}
    >
      <SelectField
        name="kind"
        label="Kind"
        choices={kinds.map((value) => ({ value, label: kindLabels[value] }))}
      />
      <Fields label="" expiresAt={null} />
    </CreateDialog>
  )
}

interface OfCredential extends Shared {
  readonly credential: Credential
}

/** Edits label and expiry of a credential. */
export function EditCredential({ nodeId, credential, onSaved, onClose }: OfCredential & { onSaved(): void }) {
  const path = { id: nodeId, credential_id: credential.id }
  return (
    <EditDialog
      title="Edit credential"
      load={() =>
        versionOf(platform.GET('/v2/nodes/{id}/credentials/{credential_id}/', { params: { path } }))
      }
      save={(values, etag) => {
        const body = { label: text(values, 'label'), expires_at: timeOrNull(values, 'expires_at') }
        return bodyOf(
          platform.PATCH('/v2/nodes/{id}/credentials/{credential_id}/', {
            params: { path, header: ifMatch(etag) },
            body,
          }),
        )
      }}
      onSaved={onSaved}
      onClose={onClose}
    >
      {({ label, expires_at: expiresAt }) => <Fields label={label} expiresAt={expiresAt} />}
    </EditDialog>
  )
}

/** Edits the limits of a credential. */
export function CredentialLimits({ nodeId, credential, onClose }: OfCredential) {
  const path = { id: nodeId, credential_id: credential.id }
  const url = '/v2/nodes/{id}/credentials/{credential_id}/limits/'
  return (
    <LimitsDialog
      title="Limits of the credential"
      load={() => versionOf(platform.GET(url, { params: { path } }))}
      save={(body, etag) => bodyOf(platform.PUT(url, { params: { path, header: ifMatch(etag) }, body }))}
      onSaved={() => {}}
      onClose={onClose}
    />
  )
}

/** Rotates a credential and passes on the new secret. */
export function RotateCredential({
  nodeId,
  credential,
  onIssued,
  onClose,
}: OfCredential & { onIssued(secret: NodeSecret): void }) {
  return (
    <CreateDialog
      title="Rotate credential"
      submit="Rotate"
      onClose={onClose}
      create={async (values) => {
        const path = { id: nodeId, credential_id: credential.id }
        const body = { overlap_seconds: Number(text(values, 'overlap_seconds')) }
        onIssued(
          await bodyOf(
            platform.POST('/v2/nodes/{id}/credentials/{credential_id}/rotate/', { params: { path }, body }),
          ),
        )
      }}
    >
      <p>A new credential takes over; put it in place before the old one ends.</p>
      <OverlapField />
    </CreateDialog>
  )
}

/** Revokes a credential. */
export function RevokeCredential({
  nodeId,
  credential,
  onRevoked,
  onClose,
}: OfCredential & { onRevoked(): void }) {
  const path = { id: nodeId, credential_id: credential.id }
  return (
    <ConfirmDialog
      title="Revoke credential?"
      submit="Revoke"
      done="Credential revoked"
      confirm={() =>
        bodyOf(platform.DELETE('/v2/nodes/{id}/credentials/{credential_id}/', { params: { path } }))
      }
      onDone={onRevoked}
      onClose={onClose}
    >
      Programs that use it are refused within a second. It cannot be brought back.
    </ConfirmDialog>
  )
}
