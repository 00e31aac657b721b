import { expect, it } from 'vitest'
import { redactPlain } from './redact-plain.ts'

it.each([
  ['ab', 'http://user:ab@node.example/', 'http://user:***@node.example/'],
  ['ab', 'http%3A%2F%2Fuser%3Aab%40node.example', 'http%3A%2F%2Fuser%3A***%40node.example'],
  ['ab', '/ab/evm?key=ab&v=1', '/***/evm?key=***&v=1'],
  ['ab', 'ab "ab" (ab) ab, key:ab.', '*** "***" (***) ***, key:***.'],
  ['ab', 'line\\nab\\tab', 'line\\n***\\t***'],
  ['ab', 'about a cab, grab_ab, tab-ab, ab2, éab', 'about a cab, grab_ab, tab-ab, ab2, éab'],
  ['a', 'a call to a node, not a URL', '*** call to *** node, not *** URL'],
  ['rate', 'separate rates, rate-limited: rate', 'separate rates, rate-limited: ***'],
  ['limit7x', 'unlimit7x limit7xs limit7x', 'unlimit7x limit7xs ***'],
  ['p@s', 'p@s p%40s up@st', '*** *** up@st'],
  ['/rpc', 'http://node/rpc http://node/rpcs', 'http://node*** http://node/rpcs'],
  ['a/', 'a/b /a/b ca/b', '***b /***b ca/b'],
  // A longer secret, also inside a word.
  ['limit7xy', 'unlimit7xys', 'un***s'],
])('redacts a short secret where it is a whole word: %s in %s', (secret, text, clean) => {
  expect(redactPlain(text, [secret])).toBe(clean)
})

it('redacts a longer secret and skips an empty one', () => {
  expect(redactPlain('unlimit7xys and p%40ssword', ['limit7xy', 'p@ssword', ''])).toBe('un***s and ***')
})
