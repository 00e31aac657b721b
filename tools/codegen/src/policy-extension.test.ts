import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { publicFiles } from './families.ts'
import { policyFile, splitPolicies } from './policy-extension.ts'

const operation = `get:
  operationId: list
  x-gateway:
    cost: { units: 1 }

    # Never.
    cache: none
  responses: {}
post:
  x-gateway: { cost: 2 }
x-gateway:
  cost: 3
`

it('splits policies from everything else', () => {
  expect(splitPolicies(operation)).toEqual({
    policies: `  x-gateway:
    cost: { units: 1 }

    # Never.
    cache: none
  x-gateway: { cost: 2 }
x-gateway:
  cost: 3
`,
    others: 'get:\n  operationId: list\n  responses: {}\npost:\n',
  })
})

it.each(['', 'a: 1', 'a: 1\n', 'text: the x-gateway: of a row\n'])('finds no policy in %j', (text) => {
  expect(splitPolicies(text)).toEqual({ policies: '', others: text })
})

it('excludes policies from the published files of a family', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-policies-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'a.yaml'), operation)
  await writeFile(join(folder, policyFile), 'a.B:\n  Get: { cost: 2 }\n')
  expect(publicFiles(folder)).toEqual([['a.yaml', splitPolicies(operation).others]])
})
