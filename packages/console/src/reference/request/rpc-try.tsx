import { useState } from 'preact/hooks'
import { Card } from '../../components/card.tsx'
import { indented } from '../../playground/send.ts'
import type { RpcOperation } from '../documents/operation.ts'
import type { Reference } from '../documents/read-document.ts'
import { CodeBlock } from '../prose/code-block.tsx'
import { NodeAccess } from './access-fields.tsx'
import { ChoiceControl, CodeControl } from './control.tsx'
import { curlOf } from './curl.ts'
import { OutcomeView } from './outcome-view.tsx'
import { tokenPlaceholder } from './request.ts'
import { useCredential } from './rest-try.tsx'
import { initialParams, rpcMessage, rpcRequest } from './rpc-request.ts'
import { SendButtons } from './send-buttons.tsx'
import { type Outcome, send, targetWith } from './send.ts'
import { exchangeMessages } from './socket.ts'
import { TrySection } from './try-section.tsx'
import { useSending } from './use-sending.ts'

const socketPath = `/ws/${tokenPlaceholder}`

/** The call of a JSON-RPC method: as a command, and as a form that sends it. */
export function RpcTry({
  reference,
  operation,
}: {
  readonly reference: Reference
  readonly operation: RpcOperation
}) {
  const addresses = reference.addresses.filter(({ path }) => path.includes(tokenPlaceholder))
  // The shortest path is valid for every chain.
  const defaultPath = addresses.map(({ path }) => path).toSorted((a, b) => a.length - b.length)[0] ?? ''
  const [address, setAddress] = useState(defaultPath)
  const [params, setParams] = useState(() => initialParams(operation, reference.schemas))
  const [outcome, setOutcome] = useState<Outcome>()
  const [messages, setMessages] = useState<readonly string[]>([])
  const sending = useSending()
  const credential = useCredential('node')
  const isSocket = !operation.transports.includes('http')
  const request = rpcRequest(operation, address, params)
  const start = (signal: AbortSignal): Promise<void> => {
    if (!credential) return Promise.resolve()
    if (!isSocket) return send(request, credential, signal, setOutcome)
    const path = targetWith({ target: socketPath }, credential)
    return exchangeMessages(path, rpcMessage(operation, params), signal, (text) =>
      setMessages((before) => [...before.slice(-99), text]),
    )
  }
  return (
    <Card title="Request">
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          setOutcome(undefined)
          setMessages([])
          sending.start(start)
        }}
      >
        {isSocket ? (
          <CodeBlock label="WebSocket message" text={rpcMessage(operation, params)} />
        ) : (
          <CodeBlock label="curl" text={curlOf(request, location.origin)} />
        )}
        <TrySection>
          {() => (
            <>
              <NodeAccess family={reference.family} />
              {addresses.length > 1 && !isSocket && (
                <ChoiceControl
                  label="Endpoint"
                  value={address}
                  choices={addresses.map(({ path, description }) => ({ value: path, label: description }))}
                  onValue={setAddress}
                />
              )}
              <CodeControl label="Parameters (JSON)" value={params} onValue={setParams} />
              <SendButtons sending={sending} isReady={credential !== undefined} />
            </>
          )}
        </TrySection>
      </form>
      {outcome && <OutcomeView outcome={outcome} />}
      {messages.length > 0 && (
        <div class="outcome">
          <CodeBlock label="Messages" text={messages.map((message) => indented(message)).join('\n')} />
        </div>
      )}
    </Card>
  )
}
