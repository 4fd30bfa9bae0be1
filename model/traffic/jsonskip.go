package traffic

// skip passes over a value of any kind and depth.
func (s *jsonStream) skip() error {
	s.open = s.open[:0]
	for {
		if err := s.skipOne(); err != nil {
			return err
		}
		for {
			if len(s.open) == 0 {
				return nil
			}
			c, err := s.take(",]}", "a comma or a closing bracket")
			if err != nil {
				return err
			}
			if c == ',' {
				break
			}
			if c != s.open[len(s.open)-1] {
				s.pos--
				return s.unexpected("another bracket")
			}
			s.open = s.open[:len(s.open)-1]
		}
		if s.open[len(s.open)-1] == '}' {
			if err := s.skipName(); err != nil {
				return err
			}
		}
	}
}

// skipOne passes over a value without parts, or goes into the first parts of one until it meets such a value.
func (s *jsonStream) skipOne() error {
	for {
		c, err := s.value()
		if err != nil {
			return err
		}
		switch c {
		case '"':
			s.pos++
			return s.inside(nil, 0)
		case '{', '[':
			if len(s.open) == deepestJSON {
				return s.fail(s.here(), "nested deeper than %d", deepestJSON)
			}
			s.pos++
			closing := c + 2 // in ASCII the closing brackets stand two behind
			if s.peek() == closing {
				s.pos++
				return nil
			}
			s.open = append(s.open, closing)
			if c == '{' {
				if err := s.skipName(); err != nil {
					return err
				}
			}
		case 't':
			return s.literal("true")
		case 'f':
			return s.literal("false")
		case 'n':
			return s.literal("null")
		default:
			if c != '-' && (c < '0' || c > '9') {
				return s.unexpected("a value")
			}
			_, err := s.digits()
			return err
		}
	}
}

func (s *jsonStream) skipName() error {
	if _, err := s.take(`"`, "a name in quotes"); err != nil {
		return err
	}
	if err := s.inside(nil, 0); err != nil {
		return err
	}
	_, err := s.take(":", "a colon")
	return err
}

func (s *jsonStream) literal(word string) error {
	for i := range len(word) {
		if !s.fill() {
			return s.cutShort()
		}
		if s.buf[s.pos] != word[i] {
			return s.unexpected(word)
		}
		s.pos++
	}
	return nil
}
