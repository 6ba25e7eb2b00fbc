// What the C++ programs share: arguments and results in Futhark's binary data format, and timing.
//
//   PROGRAM INPUT OUTPUT RUNS
//
// reads the arguments from INPUT, writes the result to OUTPUT, and prints the microseconds of each run, a line each.
// The first run warms up and is not printed.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

/// Elements in row-major order and their shape. A scalar has no dimensions.
template <class T> struct Array {
    std::vector<std::int64_t> shape;
    std::vector<T> data;
};

/// The name of an element type in the format.
template <class T> const char* type_name();
template <> inline const char* type_name<double>() { return " f64"; }
template <> inline const char* type_name<std::uint16_t>() { return " u16"; }
template <> inline const char* type_name<std::int64_t>() { return " i64"; }

class Bench {
public:
    Bench(int argc, char** argv) {
        if (argc != 4) fail("INPUT OUTPUT RUNS are expected");
        input.open(argv[1], std::ios::binary);
        output = argv[2];
        runs = std::atoi(argv[3]);
        if (!input) fail("cannot open the input");
    }

    /// The next argument.
    template <class T> Array<T> array(std::size_t rank) {
        char head[7];
        read(head, sizeof head);
        if (head[0] != 'b' || head[1] != 2 || head[2] != char(rank) || std::memcmp(head + 3, type_name<T>(), 4) != 0)
            fail("an argument of another type is expected");
        std::vector<std::int64_t> shape(rank);
        read(shape.data(), rank * sizeof(std::int64_t));
        std::vector<T> data(count(shape));
        read(data.data(), data.size() * sizeof(T));
        return {std::move(shape), std::move(data)};
    }

    /// The next argument.
    template <class T> T scalar() { return array<T>(0).data[0]; }

    /// Times a computation, which fills an array of this shape, the result. The value is that of `main`. The array is
    /// the same for all runs: a compiled program, too, keeps the memory of the run before.
    template <class T, class Compute> int run(std::vector<std::int64_t> shape, Compute compute) {
        std::vector<T> result(count(shape));
        for (int i = 0; i <= runs; i++) {
            const auto start = std::chrono::steady_clock::now();
            compute(result);
            const auto end = std::chrono::steady_clock::now();
            const auto time = std::chrono::duration_cast<std::chrono::microseconds>(end - start);
            if (i > 0) std::printf("%lld\n", static_cast<long long>(time.count()));
        }
        write(Array<T>{std::move(shape), std::move(result)});
        return 0;
    }

private:
    std::ifstream input;
    std::string output;
    int runs = 0;

    static std::size_t count(const std::vector<std::int64_t>& shape) {
        std::size_t count = 1;
        for (std::int64_t n : shape) count *= std::size_t(n);
        return count;
    }

    [[noreturn]] static void fail(const char* why) {
        std::fprintf(stderr, "%s\n", why);
        std::exit(1);
    }

    void read(void* to, std::size_t count) {
        if (!input.read(static_cast<char*>(to), std::streamsize(count))) fail("the input ends early");
    }

    template <class T> void write(const Array<T>& array) {
        std::ofstream file(output, std::ios::binary);
        const char head[3] = {'b', 2, char(array.shape.size())};
        const auto bytes = [&](const void* from, std::size_t count) {
            file.write(static_cast<const char*>(from), std::streamsize(count));
        };
        bytes(head, sizeof head);
        bytes(type_name<T>(), 4);
        bytes(array.shape.data(), array.shape.size() * sizeof(std::int64_t));
        bytes(array.data.data(), array.data.size() * sizeof(T));
        if (!file.flush()) fail("cannot write the output");
    }
};
