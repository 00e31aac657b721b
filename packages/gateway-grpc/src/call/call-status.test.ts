import { expect, it } from 'vitest'
import { parseUpstreamUrl } from '../upstream/parse-url.ts'
import { withoutSecrets } from './call-status.ts'

const secrets = ['node.example.com', 'b53c2a6f9d']

it('removes an entry with a secret, also after responses without one', () => {
  const clean = { 'x-served-by': 'node 1', 'trace-bin': Buffer.from('trace 1').toString('base64') }
  for (let response = 0; response < 2; response += 1) expect(withoutSecrets(clean, secrets)).toEqual(clean)
  const revealing = {
    'x-served-by': 'node.example.com',
    'trace-bin': Buffer.from('b53c2a6f9d').toString('base64'),
  }
  for (let response = 0; response < 2; response += 1) expect(withoutSecrets(revealing, secrets)).toEqual({})
  expect(withoutSecrets(clean, secrets)).toEqual(clean)
})

it('searches for the secrets of each upstream', () => {
  const headers = { 'x-served-by': 'b53c2a6f9d' }
  expect(withoutSecrets(headers, ['other.example.com'])).toEqual(headers)
  expect(withoutSecrets(headers, secrets)).toEqual({})
})

it('removes a short secret where it is a whole word', () => {
  const { secrets: short } = parseUpstreamUrl('https://x-token:ab@node.example') ?? { secrets: [] }
  const kept = { 'grpc-status': '9', 'x-car': 'a cab' }
  const trailers = { ...kept, 'grpc-message': 'a cab, not x-token:ab@node', 'x-why': 'key=ab' }
  expect(withoutSecrets(trailers, short)).toEqual({ ...kept, 'grpc-message': 'a cab, not x-token:***@node' })
})
