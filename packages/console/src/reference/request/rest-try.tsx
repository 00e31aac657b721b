import { useState } from 'preact/hooks'
import { Card } from '../../components/card.tsx'
import type { RestOperation } from '../documents/operation.ts'
import type { Reference } from '../documents/read-document.ts'
import { CodeBlock } from '../prose/code-block.tsx'
import { NodeAccess, PlatformAccess } from './access-fields.tsx'
import { useAccess } from './access.tsx'
import { curlOf } from './curl.ts'
import { OutcomeView } from './outcome-view.tsx'
import { type Request, tokenPlaceholder } from './request.ts'
import { initialInputs, restRequest } from './rest-request.ts'
import { RestForm } from './rest-form.tsx'
import { SendButtons } from './send-buttons.tsx'
import { type Credential, type Outcome, send } from './send.ts'
import { TrySection } from './try-section.tsx'
import { useSending } from './use-sending.ts'

/** The request of a REST operation: as a command, and as a form that sends it. */
export function RestTry({
  reference,
  operation,
}: {
  readonly reference: Reference
  readonly operation: RestOperation
}) {
  const { schemas, addresses } = reference
  const [inputs, setInputs] = useState(() => initialInputs(operation, schemas))
  const [outcome, setOutcome] = useState<Outcome>()
  const sending = useSending()
  const base = addresses.find(({ path }) => path.includes(tokenPlaceholder))?.path ?? ''
  const request = restRequest(operation, base, inputs, schemas)
  const credential = useCredential(request.access)
  return (
    <Card title="Request">
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          setOutcome(undefined)
          if (credential) sending.start((signal) => send(request, credential, signal, setOutcome))
        }}
      >
        <CodeBlock label="curl" text={curlOf(request, location.origin)} />
        <TrySection>
          {() => (
            <>
              <AccessFields access={request.access} family={reference.family} />
              <RestForm operation={operation} inputs={inputs} onInputs={setInputs} />
              <SendButtons sending={sending} isReady={credential !== undefined} />
            </>
          )}
        </TrySection>
      </form>
      {outcome && <OutcomeView outcome={outcome} />}
    </Card>
  )
}

function AccessFields({ access, family }: { readonly access: Request['access']; readonly family: string }) {
  if (access === 'public') return <p class="muted small">No credential required.</p>
  return access === 'platform' ? <PlatformAccess /> : <NodeAccess family={family} />
}

/** The credential of a request; undefined until the user has entered it. */
export function useCredential(access: Request['access']): Credential | undefined {
  const { apiKey, token, session } = useAccess()
  if (access === 'public') return { kind: 'none' }
  if (access === 'node') return token === '' ? undefined : { kind: 'token', token }
  if (apiKey !== '') return { kind: 'api-key', key: apiKey }
  return session && { kind: 'session', csrfToken: session.csrf_token }
}
