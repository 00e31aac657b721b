import { useState } from 'preact/hooks'
import { Badge } from '../components/badge.tsx'
import { Card } from '../components/card.tsx'
import { CopyValue } from '../components/copy.tsx'
import { ProblemNotice, QueryView } from '../components/query-view.tsx'
import { asProblem, type Problem } from '../platform/problem.ts'
import { useQuery } from '../platform/use-query.ts'
import { addressOf } from './address.ts'
import type { Typed } from './encode.ts'
import { type Family, loadOperations } from './families.ts'
import { FieldView } from './field-view.tsx'
import { keyOf, type Operation } from './operation.ts'
import { type Outcome, send } from './send.ts'

interface Target {
  readonly template: string
  readonly token: string
}

/** Builds a call, sends it and shows the response. */
export function CallForm({ family, ...target }: Target & { readonly family: Family }) {
  const operations = useQuery(() => loadOperations(family), [family])
  return (
    <QueryView query={operations} lines={8}>
      {(loaded) => <Call operations={loaded} {...target} />}
    </QueryView>
  )
}

// Useful first calls: they show that a node is reachable, and its latest block.
const firstCalls = new Set([
  'eth_blockNumber',
  'getGenesis',
  'getMasterchainInfo',
  'api_v3_get_masterchain_info',
])

type Result =
  | { readonly kind: 'none' | 'waiting' }
  | { readonly kind: 'answered'; readonly outcome: Outcome }
  | { readonly kind: 'failed'; readonly problem: Problem }

function Call({ operations, template, token }: Target & { readonly operations: readonly Operation[] }) {
  const [name, setName] = useState('')
  const [typed, setTyped] = useState<Typed>({})
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const [result, setResult] = useState<Result>({ kind: 'none' })
  const operation =
    operations.find((candidate) => candidate.name === name) ??
    operations.find((candidate) => firstCalls.has(candidate.name)) ??
    operations[0]
  if (!operation) return null
  const call = async () => {
    const request = operation.request(typed)
    if ('errors' in request) return setErrors(request.errors)
    setErrors({})
    setResult({ kind: 'waiting' })
    try {
      const url = addressOf(template, request.target, token, location.origin)
      setResult({ kind: 'answered', outcome: await send(url, request.method, request.body) })
    } catch (error) {
      setResult({ kind: 'failed', problem: asProblem(error) })
    }
  }
  return (
    <div class="playground">
      <Card title="Request" description={<span class="code break-anywhere">{operation.summary}</span>}>
        <form
          class="form"
          onSubmit={(event) => {
            event.preventDefault()
            void call()
          }}
        >
          <Picker
            operations={operations}
            current={operation}
            onPick={(picked) => {
              setName(picked)
              setTyped({})
              setErrors({})
              setResult({ kind: 'none' })
            }}
          />
          {operation.fields.length === 0 && <p class="muted">This method has no parameters.</p>}
          {operation.fields.map((field) => (
            <FieldView
              key={`${operation.name} ${keyOf(field)}`}
              field={field}
              path={keyOf(field)}
              typed={typed}
              errors={errors}
              type={(path, value) => setTyped((before) => ({ ...before, [path]: value }))}
            />
          ))}
          <div class="form-actions is-start">
            <button
              type="submit"
              class="button is-primary"
              disabled={token === '' || result.kind === 'waiting'}
            >
              Send
            </button>
            {token === '' && <span class="field-hint">Enter a token to send the request.</span>}
          </div>
        </form>
        <AsCommand operation={operation} typed={typed} template={template} />
      </Card>
      <ResponseView result={result} />
    </div>
  )
}

function Picker({
  operations,
  current,
  onPick,
}: {
  readonly operations: readonly Operation[]
  readonly current: Operation
  onPick(name: string): void
}) {
  const groups = [...new Set(operations.map(({ group }) => group))].toSorted()
  return (
    <div class="field">
      <label for="playground-operation">Method</label>
      <select
        id="playground-operation"
        class="input code"
        value={current.name}
        onChange={(event) => onPick(event.currentTarget.value)}
      >
        {groups.map((group) => (
          <optgroup key={group} label={group}>
            {operations
              .filter((operation) => operation.group === group)
              .map((operation) => (
                <option key={operation.name} value={operation.name}>
                  {operation.name}
                </option>
              ))}
          </optgroup>
        ))}
      </select>
    </div>
  )
}

/** The same call as a shell command; the token is a variable. */
function AsCommand({
  operation,
  typed,
  template,
}: {
  readonly operation: Operation
  readonly typed: Typed
  readonly template: string
}) {
  const request = operation.request(typed)
  if ('errors' in request) return null
  const url = addressOf(template, request.target, 'TOKEN', location.origin).replace('TOKEN', '$TOKEN')
  const body =
    request.body === undefined
      ? ''
      : ` -H 'content-type: application/json' -d '${request.body.replaceAll("'", "'\\''")}'`
  const methodFlag = request.method === 'GET' || request.body !== undefined ? '' : ` -X ${request.method}`
  return (
    <div class="stack is-tight command">
      <h3>cURL</h3>
      <CopyValue label="cURL command" value={`curl${methodFlag} "${url}"${body}`} />
    </div>
  )
}

function ResponseView({ result }: { readonly result: Result }) {
  return (
    <Card title="Response">
      <div class="stack is-tight">
        <div role="status" class="row">
          {result.kind === 'none' && <span class="muted">Send a request to see the response.</span>}
          {result.kind === 'waiting' && <span class="muted">Waiting for a response</span>}
          {result.kind === 'answered' && (
            <>
              <Badge tone={result.outcome.isOk ? 'good' : 'bad'}>HTTP {result.outcome.status}</Badge>
              <span class="muted small">
                {result.outcome.milliseconds} ms, {result.outcome.bytes.toLocaleString()} bytes
              </span>
            </>
          )}
        </div>
        {result.kind === 'failed' && <ProblemNotice problem={result.problem} />}
        {result.kind === 'answered' && (
          <pre class="code-block playground-result" tabIndex={0} aria-label="Response body">
            {result.outcome.text}
          </pre>
        )}
      </div>
    </Card>
  )
}
