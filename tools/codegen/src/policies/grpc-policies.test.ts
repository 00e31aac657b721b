import { create } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { describe, expect, it } from 'vitest'
import { type GrpcPolicies, grpcPolicies } from './grpc-policies.ts'

const cost = { units: 1, isExpensive: false }
const methods = [{ name: 'Get' }, { name: 'Watch' }]

const generated = (policies: GrpcPolicies) =>
  grpcPolicies(
    create(FileDescriptorSetSchema, { file: [{ package: 'a', service: [{ name: 'B', method: methods }] }] }),
    policies,
  )

describe('grpcPolicies', () => {
  it('generates a policy for each method', () => {
    expect(generated({ 'a.B': { Get: { cost }, Watch: { cost, resume: 'geyser' } } })).toContain(`= {
  "/a.B/Get": {
    cost: { units: 1, isExpensive: false },
    resume: undefined,
  },
  "/a.B/Watch": {
    cost: { units: 1, isExpensive: false },
    resume: "geyser",
  },
}`)
  })

  it.each<[string, GrpcPolicies]>([
    ['/a.B/Get: x-gateway is missing', {}],
    ['/a.B/Watch: x-gateway is missing', { 'a.B': { Get: { cost } } }],
    [`/a.B/Get: x-gateway must have required property 'cost'`, { 'a.B': { Get: {}, Watch: { cost } } }],
    [
      '/a.B/Watch: x-gateway.resume must be one of geyser',
      { 'a.B': { Get: { cost }, Watch: { cost, resume: 'always' } } },
    ],
    [
      '/a.C/Get: x-gateway.yaml must name a method of a service',
      { 'a.B': { Get: { cost }, Watch: { cost } }, 'a.C': { Get: { cost } } },
    ],
  ])('rejects with: %s', (message, policies) => {
    expect(() => generated(policies)).toThrow(message)
  })
})
