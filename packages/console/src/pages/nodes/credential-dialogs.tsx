import type { components } from '@fairlead/platform-client'
import { ConfirmDialog, CreateDialog, EditDialog } from '../../form/edit-dialog.tsx'
import { SelectField, TextField } from '../../form/fields.tsx'
import { OverlapField } from '../../form/overlap-field.tsx'
import { selectedValue, localTime, text, timeOrNull } from '../../form/values.ts'
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
  token: 'Token in the URL',
  basic: 'Username and password',
  'x-token': 'x-token metadata (gRPC)',
}

function Fields({ label, expiresAt }: { readonly label: string; readonly expiresAt: string | null }) {
  return (
    <>
      <TextField
        name="label"
        label="Label"
        value={label}
        maxLength={100}
        hint="Where the credential is used, for example an application name."
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
          kind: selectedValue(values, 'kind', kinds),
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

interface CredentialDialogProps extends Shared {
  readonly credential: Credential
}

/** Edits label and expiry of a credential. */
export function EditCredential({
  nodeId,
  credential,
  onSaved,
  onClose,
}: CredentialDialogProps & { onSaved(): void }) {
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
export function CredentialLimits({ nodeId, credential, onClose }: CredentialDialogProps) {
  const path = { id: nodeId, credential_id: credential.id }
  const url = '/v2/nodes/{id}/credentials/{credential_id}/limits/'
  return (
    <LimitsDialog
      title="Credential limits"
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
}: CredentialDialogProps & { onIssued(secret: NodeSecret): void }) {
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
      <p>Creates a new credential. Update your application before the old credential expires.</p>
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
}: CredentialDialogProps & { onRevoked(): void }) {
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
      Requests with this credential are rejected within one second. This cannot be undone.
    </ConfirmDialog>
  )
}
