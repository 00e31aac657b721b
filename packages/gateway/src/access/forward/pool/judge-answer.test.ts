import { expect, it } from 'vitest'
import { judgeAnswer, type Verdict } from './judge-answer.ts'

const error = (code: number, message: string) => JSON.stringify({ error: { code, message } })

it.each<[string, string, Verdict]>([
  ['eth_call', '{"jsonrpc":"2.0","id":1,"result":"0x"}', 'good'],
  ['eth_call', '{"jsonrpc":"2.0","id":1,"result":null}', 'good'],
  ['eth_getBlockByHash', '{"jsonrpc":"2.0","id":1,"result":null}', 'absent'],
  ['eth_getTransactionReceipt', '{"id":1,"error":null,"result":null}', 'absent'],
  ['eth_call', '{"jsonrpc":"2.0","id":1}', 'unreadable'],
  ['eth_call', '[]', 'unreadable'],
  ['eth_call', 'null', 'unreadable'],
  ['eth_call', '', 'unreadable'],
  ['eth_call', '{"jsonrpc":"2.0","id":1,"result":"0x"', 'unreadable'],
  ['eth_call', error(3, 'execution reverted'), 'good'],
  ['eth_call', error(-32000, 'insufficient funds for transfer'), 'good'],
  ['eth_call', error(-32602, 'invalid argument 0'), 'good'],
  ['eth_call', error(-32000, 'header not found'), 'absent'],
  ['eth_call', error(-32001, 'Unknown block'), 'absent'],
  ['eth_call', error(-32000, `missing trie node ${'ab'.repeat(32)} (path )`), 'pruned'],
  ['eth_call', error(-32601, 'the method eth_call does not exist/is not available'), 'not offered'],
  ['eth_call', error(-32005, 'daily request count exceeded, request rate limited'), 'busy'],
  ['eth_call', error(429, 'Your app has exceeded its compute units per second capacity'), 'busy'],
  ['eth_getLogs', error(-32005, 'query returned more than 10000 results'), 'good'],
  ['eth_getFilterChanges', error(-32000, 'filter not found'), 'good'],
  ['eth_sendRawTransaction', error(-32000, 'already known'), 'in the chain'],
  ['eth_sendRawTransaction', error(-32010, 'AlreadyKnown'), 'in the chain'],
  ['eth_sendRawTransaction', error(-32003, 'transaction already imported'), 'in the chain'],
  ['eth_sendRawTransaction', error(-32000, 'nonce too low: next nonce 5, tx nonce 4'), 'in the chain'],
  ['eth_sendRawTransaction', error(-32000, 'replacement transaction underpriced'), 'good'],
  ['eth_sendTransaction', error(-32000, 'nonce too low'), 'good'],
])('%s answered %s is %s', (method, text, verdict) => {
  expect(judgeAnswer(method, text)).toBe(verdict)
})
