import { expect, it } from 'vitest'
import { splitPolicies } from './policy-extension.ts'

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
