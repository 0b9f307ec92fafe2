import { nameWithArguments } from '../kernelName';

it.each([
  ['void relu<float>(float*)', 'relu<float>'],
  ['void relu<c10::Half, (bool)1, (int)4>(T1*)', 'relu<Half, 1, 4>'],
  ['void (anonymous namespace)::relu<__half>(__half*)', 'relu<__half>'],
  ['ns::relu(std::array<float, 2>*, int)', 'relu'],
  [
    'void at::each<4, at::act(int)::{lambda()#1}, at::A<2> >(i',
    'each<4, act, A>'
  ],
  ['void relu<float, at::cut(long)…', 'relu<float, cut>'],
  ['Memcpy DtoD (Device -> Device)', 'Memcpy DtoD']
])('names the kernel %s %s', (name, short) => {
  expect(nameWithArguments(name)).toBe(short);
});
