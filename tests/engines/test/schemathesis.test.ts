import { type DevelopmentGateway, startGateway, temporaryFolder } from '@fairlead/e2e-tests/gateway'
import { expect, onTestFinished, test } from 'vitest'
import { canRunSchemathesis } from './schemathesis/python.ts'
import { attack } from './schemathesis/schemathesis.ts'

// FAIRLEAD_SCHEMATHESIS_SEED selects the test cases, FAIRLEAD_SCHEMATHESIS_EXAMPLES is the number of generated cases
// per operation.
const seed = Number(process.env['FAIRLEAD_SCHEMATHESIS_SEED'] ?? 20_261_124)
const examples = Number(process.env['FAIRLEAD_SCHEMATHESIS_EXAMPLES'] ?? 10)

// Each document has a separate gateway, because calls of the platform API revoke credentials of nodes.
test.skipIf(!canRunSchemathesis).for(['jetton-v2', 'jetton-v3', 'beacon', 'platform'])(
  'the gateway conforms to the OpenAPI document %s',
  { timeout: 1_800_000 },
  async (document) => {
    const [family = ''] = document.split('-')
    const folder = await temporaryFolder()
    onTestFinished(() => folder.remove())
    const gateway = await startGateway(folder.path, {
      FAIRLEAD_DEVELOPMENT_CHAINS: family === 'platform' ? 'evm' : family,
      FAIRLEAD_LOG_LEVEL: 'warn',
      // Otherwise most generated requests that create a credential would receive 429.
      FAIRLEAD_MAX_NEW_CREDENTIALS_PER_MINUTE: '1000000',
    })
    onTestFinished(async () => {
      await gateway.end('SIGTERM')
    })
    const target = family === 'platform' ? await platformOf(gateway) : nodeOf(gateway, family)
    const attacked = await attack({ document, seed, examples, ...target })
    const { operations, cases, failedCases, deviations, failures, errors } = attacked
    process.stdout.write(
      `${document}: seed ${seed}, ${operations} operations, ${cases} cases, ` +
        `${failures.length} failures, ${deviations} deviations\n`,
    )
    for (const { operation, check, problem, status, body } of failures)
      process.stdout.write(
        `${operation}: ${check}: ${status} ${body}\n  ${problem.replaceAll(/\s+/g, ' ')}\n`,
      )
    expect(errors).toEqual([])
    // The two reports are consistent.
    expect(deviations + failures.length > 0).toBe(failedCases > 0)
    expect(failures).toEqual([])
    expect(cases).toBeGreaterThan(operations)
    expect(gateway.output()).not.toMatch(/unexpected error|request failed/)
  },
)

function nodeOf({ file: { base_url: base, nodes } }: DevelopmentGateway, family: string) {
  const [{ token }] = nodes
  return { url: `${base}${family === 'beacon' ? '/beacon' : ''}/${token}` }
}

const keys = 16

async function platformOf({ file: { base_url: url, api_key: apiKey } }: DevelopmentGateway) {
  const call = async (path: string, body?: object) => {
    const response = await fetch(`${url}${path}`, {
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Key & { readonly results: readonly Key[] }
  }
  const [first] = (await call('/v1/api-keys/')).results
  const made = await Promise.all(
    Array.from({ length: keys }, (_, at) =>
      call('/v1/api-keys/', { name: `Attack ${at}`, scopes: first?.scopes }),
    ),
  )
  const members = (await call('/v1/organization/members/')).results
  return {
    url,
    environment: {
      API_KEYS: made.map(({ key }) => key).join(','),
      PROTECTED_IDS: [...made, ...members, ...(first ? [first] : [])].map(({ id }) => id).join(','),
    },
  }
}

interface Key {
  readonly id: string
  readonly key: string
  readonly scopes: readonly string[]
}
