// Decodes words that Wordline wrote with AFF3CT's layered, normalised (3/4) min-sum: 16-bit numbers,
// for it has none in 8 bits, and as many words side by side as a vector has lanes.
// Usage: decode MATRIX.qc WORDS.bin

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <vector>

#include "Module/Decoder/LDPC/BP/Horizontal_layered/Decoder_LDPC_BP_horizontal_layered_inter.hpp"
#include "Tools/Code/LDPC/QC/QC.hpp"
#include "Tools/Code/LDPC/Update_rule/NMS/Update_rule_NMS_simd.hpp"

using Number = int16_t;
using Rule = aff3ct::tools::Update_rule_NMS_simd<Number, 6>;
using Decoder = aff3ct::module::Decoder_LDPC_BP_horizontal_layered_inter<Number, Number, Rule>;

static const int rounds = 30, repeats = 20;
static const Number belief = 20;

static int bit(const std::vector<uint8_t> &word, int at) { return word[at / 8] >> (at % 8) & 1; }

int main(int, char **arguments)
{
	std::ifstream matrix(arguments[1]), words(arguments[2], std::ios::binary);
	const auto checks = aff3ct::tools::QC::read(matrix);
	const int length = checks.get_n_rows(), data = length - (int)checks.get_n_cols();
	std::vector<unsigned> places(data);
	for (int at = 0; at < data; at++)
		places[at] = at;
	Decoder decoder(data, length, rounds, checks, places, Rule(0.75f), true, 1);
	const int frames = mipp::N<Number>();
	decoder.set_n_frames(frames);

	std::vector<uint8_t> sent(length / 8), received(length / 8);
	std::vector<Number> beliefs(frames * length), expected(frames * data), found(frames * data);
	for (int frame = 0; frame < frames; frame++)
	{
		words.read((char *)sent.data(), sent.size());
		words.read((char *)received.data(), received.size());
		if (!words)
		{
			std::fprintf(stderr, "there are too few words: write at least %d\n", frames);
			return 2;
		}
		for (int at = 0; at < length; at++)
			beliefs[frame * length + at] = bit(received, at) ? -belief : belief;
		for (int at = 0; at < data; at++)
			expected[frame * data + at] = bit(sent, at);
	}

	double best = 1e9;
	for (int repeat = 0; repeat < repeats; repeat++)
	{
		// Processor time, for what takes milliseconds is interrupted by other work.
		const auto start = std::clock();
		decoder.decode_siho(beliefs, found);
		best = std::min(best, double(std::clock() - start) / CLOCKS_PER_SEC);
	}
	if (found != expected)
	{
		std::fprintf(stderr, "AFF3CT did not find what was sent\n");
		return 1;
	}
	std::printf("AFF3CT, %d words at a time: %.1f us a word\n", frames, best / frames * 1e6);
}
